#include "compute/exec/cuda.h"
#include "compute/spatial/points_in_box.inl"

namespace haloscope::compute::spatial {

RowsInBox cuda_points_in_box(const PointSet& points, const LatticeBox& box) {
  // One of its own: other threads may read the points meanwhile.
  Cuda exec(points.device());
  return points_in_box_on(exec, points, box);
}

}  // namespace haloscope::compute::spatial
