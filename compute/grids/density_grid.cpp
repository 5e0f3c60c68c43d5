#include "compute/grids/density_grid.h"

#include "compute/grids/smoothing.h"
#include "core/check.h"

namespace haloscope::compute::grids {

DensityGrid make_density_grid(Device device, const GridRequest& request,
                              const std::vector<GridPoints>& points, Progress& progress) {
  check_smoothing(request.smoothing, request.frame.cells);
  require_host_memory(request.frame.count() * sizeof(float), "the grid");
  for (const GridPoints& type : points) HALOSCOPE_CHECK(type.position[0], !=, nullptr);
  return device.is_gpu() ? make_cuda_density_grid(device, request, points, progress)
                         : make_cpu_density_grid(request, points, progress);
}

}  // namespace haloscope::compute::grids
