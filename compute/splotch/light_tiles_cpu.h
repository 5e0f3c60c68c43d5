#pragma once

#include "compute/exec/cpu.h"
#include "compute/splotch/light_sum.h"
#include "compute/splotch/splat.h"

#include <cstddef>

namespace haloscope::compute::splotch {

// Adds `count` splats to sums of light on all CPU cores: listed by image tile, summed with the SIMD
// rows of maps. The fast twin of gather_light (gather.inl), to the bit.
void add_to_light(Cpu& exec, const Splat* splats, std::size_t count, const LightTarget& target);

// The peaks of splats; fewer than 2³² of them.
LightPeaks peaks_of(const Splat* splats, std::size_t count);

}  // namespace haloscope::compute::splotch
