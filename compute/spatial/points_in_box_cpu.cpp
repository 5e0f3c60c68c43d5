#include "compute/exec/cpu.h"
#include "compute/spatial/points_in_box.inl"

namespace haloscope::compute::spatial {

RowsInBox cpu_points_in_box(const PointSet& points, const LatticeBox& box) {
  Cpu exec;
  return points_in_box_on(exec, points, box);
}

RowsInBox points_in_box(const PointSet& points, const LatticeBox& box) {
  return points.device().is_gpu() ? cuda_points_in_box(points, box)
                                  : cpu_points_in_box(points, box);
}

}  // namespace haloscope::compute::spatial
