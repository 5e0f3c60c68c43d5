#pragma once

#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "compute/grids/grid_frame.h"
#include "core/array.h"

#include <array>

namespace haloscope::compute::distributed {

// Smooths a grid whose planes across the first axis lie on several ranks (grid_slabs.h), with the
// bits of grids::smooth_grid(). `frame`: of the whole grid; `own`: this rank's planes, in C's
// order. Returns these planes. Along the first axis each rank smooths a part of the lines, which go
// there and back. Takes 16 bytes for each of its cells. All ranks call it. Throws as
// check_smoothing().
Array<float> smooth_slabs(Ranks& ranks, Device device, const grids::GridFrame& frame,
                          const std::array<double, 3>& sigma, const Array<float>& own);

}  // namespace haloscope::compute::distributed
