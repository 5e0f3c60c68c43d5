#include "compute/exec/cpu.h"
#include "compute/grids/density_grid.inl"
#include "compute/grids/resident_grid.inl"

namespace haloscope::compute::grids {

DensityGrid make_cpu_density_grid(const GridRequest& request, const std::vector<GridPoints>& points,
                                  Progress& progress) {
  Cpu exec(progress);
  return GridMaker<Cpu>(exec, request).make(points, progress);
}

std::unique_ptr<ResidentGrid> make_cpu_resident_grid(const GridRequest& request,
                                                     const spatial::PointSet& points, double mass,
                                                     Progress& progress) {
  return std::make_unique<ResidentGridOn<Cpu>>(request, points, mass, progress);
}

Array<float> smooth_cpu_grid(const GridFrame& frame, const std::array<double, 3>& sigma,
                             const Array<float>& values) {
  Cpu exec;
  return smooth_grid_on(exec, frame, sigma, values);
}

}  // namespace haloscope::compute::grids
