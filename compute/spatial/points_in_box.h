#pragma once

#include "compute/spatial/points.h"
#include "core/lattice_box.h"

namespace haloscope::compute::spatial {

// The points of a set that lie in a box of its lattice, in the order of their rows. Blocks of 256
// neighbors in Morton order that lie in no cell that touches the box are passed over. Takes 4 B a
// block and 40 B a point that is found of the device's memory meanwhile; throws Error where that is
// not there.
RowsInBox points_in_box(const PointSet& points, const LatticeBox& box);

RowsInBox cpu_points_in_box(const PointSet& points, const LatticeBox& box);
RowsInBox cuda_points_in_box(const PointSet& points, const LatticeBox& box);

}  // namespace haloscope::compute::spatial
