#include "compute/grids/resident_grid.h"

#include "core/check.h"

namespace haloscope::compute::grids {

std::unique_ptr<ResidentGrid> make_resident_grid(const GridRequest& request,
                                                 const spatial::PointSet& points, double mass,
                                                 Progress& progress) {
  HALOSCOPE_CHECK(int(request.quantity), <=, int(Quantity::Mass));
  HALOSCOPE_CHECK(int(request.assign), !=, int(Assign::Kernel));
  return points.device().is_gpu() ? make_cuda_resident_grid(request, points, mass, progress)
                                  : make_cpu_resident_grid(request, points, mass, progress);
}

}  // namespace haloscope::compute::grids
