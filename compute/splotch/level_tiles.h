#pragma once

#include "compute/splotch/levels.h"

namespace haloscope::compute {
class Cuda;
}

namespace haloscope::compute::splotch {

// Adds a level to the cells [box.x0, box.x1) × [box.y0, box.y1) of the next finer one, on a GPU:
// what add_level_on_cpu() does, to the bit, by tiles in shared memory. Tiles without light are left
// out.
void add_level_on_gpu(Cuda& exec, const Cells& coarse, const Cells& fine, const CellBox& box);

}  // namespace haloscope::compute::splotch
