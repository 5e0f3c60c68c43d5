#pragma once

#include "compute/clusters/spanning_tree.h"
#include "compute/distributed/part_search.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"

namespace haloscope::compute::distributed {

// Gives each rank a stretch of Hilbert's curve through the points of rank 0, nearly equal numbers
// of them; the others pass null. All ranks call it. Rank 0, which orders them on its device where
// they fit, needs memory for the points once more meanwhile, and 26 bytes for each.
PartOfPoints hand_out_points(Ranks& ranks, const clusters::LatticePoints* points, Device device);

}  // namespace haloscope::compute::distributed
