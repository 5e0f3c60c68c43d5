#pragma once

#include "compute/splotch/levels.h"

namespace haloscope::compute::splotch {

// Adds a level to the cells [box.x0, box.x1) × [box.y0, box.y1) of the next finer one, on all
// cores, row by row with SIMD.
void add_level_on_cpu(const Cells& coarse, const Cells& fine, const CellBox& box);

}  // namespace haloscope::compute::splotch
