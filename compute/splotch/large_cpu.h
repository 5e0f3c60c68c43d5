#pragma once

#include "compute/exec/cpu.h"
#include "compute/splotch/splat.h"

#include <cstddef>

namespace haloscope::compute::splotch {

// Adds `count` splats to an RGBA image (row-major, A untouched) on all CPU cores: splats are listed
// by image tile, tiles are drawn with SIMD rows. The sums do not depend on the number of threads.
template <Mode M>
void splat_on_cpu(Cpu& exec, const Splat* splats, std::size_t count, int width, int height,
                  float* rgba);

}  // namespace haloscope::compute::splotch
