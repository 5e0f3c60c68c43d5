#pragma once

#include "compute/exec/cpu.h"
#include "compute/splotch/map_sum.h"
#include "compute/splotch/splat.h"

#include <cstddef>

namespace haloscope::compute::splotch {

// Adds `count` splats to a map on all CPU cores: splats are listed by image tile, tiles are summed
// with SIMD rows. The fast twin of scatter_layer (map_scatter.inl), to the bit.
void add_to_map(Cpu& exec, const Splat* splats, std::size_t count, const MapTarget& target);

}  // namespace haloscope::compute::splotch
