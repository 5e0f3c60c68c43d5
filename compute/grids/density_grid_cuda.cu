#include "compute/exec/cuda.h"
#include "compute/grids/density_grid.inl"

namespace haloscope::compute::grids {

DensityGrid make_cuda_density_grid(Device device, const GridRequest& request,
                                   const std::vector<GridPoints>& points, Progress& progress) {
  Cuda exec(device);
  return GridMaker<Cuda>(exec, request).make(points, progress);
}

Array<float> smooth_cuda_grid(Device device, const GridFrame& frame,
                              const std::array<double, 3>& sigma, const Array<float>& values) {
  Cuda exec(device);
  return smooth_grid_on(exec, frame, sigma, values);
}

}  // namespace haloscope::compute::grids
