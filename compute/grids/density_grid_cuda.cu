#include "compute/exec/cuda.h"
#include "compute/grids/density_grid.inl"
#include "compute/grids/deposit_windows.cuh"
#include "compute/grids/resident_grid.inl"
#include "compute/grids/smooth_lines.cuh"

namespace haloscope::compute::grids {

DensityGrid make_cuda_density_grid(Device device, const GridRequest& request,
                                   const std::vector<GridPoints>& points, Progress& progress) {
  Cuda exec(device);
  return GridMaker<Cuda>(exec, request).make(points, progress);
}

std::unique_ptr<ResidentGrid> make_cuda_resident_grid(const GridRequest& request,
                                                      const spatial::PointSet& points, double mass,
                                                      Progress& progress) {
  return std::make_unique<ResidentGridOn<Cuda>>(request, points, mass, progress);
}

Array<float> smooth_cuda_grid(Device device, const GridFrame& frame,
                              const std::array<double, 3>& sigma, const Array<float>& values) {
  Cuda exec(device);
  return smooth_grid_on(exec, frame, sigma, values);
}

}  // namespace haloscope::compute::grids
