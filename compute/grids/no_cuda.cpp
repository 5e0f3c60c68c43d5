#include "compute/grids/density_grid.h"
#include "compute/grids/resident_grid.h"
#include "compute/grids/smoothing.h"
#include "core/error.h"

namespace haloscope::compute::grids {

namespace {

[[noreturn]] void refuse_cuda(Device device) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace

DensityGrid make_cuda_density_grid(Device device, const GridRequest&,
                                   const std::vector<GridPoints>&, Progress&) {
  refuse_cuda(device);
}

std::unique_ptr<ResidentGrid> make_cuda_resident_grid(const GridRequest&,
                                                      const spatial::PointSet& points, double,
                                                      Progress&) {
  refuse_cuda(points.device());
}

Array<float> smooth_cuda_grid(Device device, const GridFrame&, const std::array<double, 3>&,
                              const Array<float>&) {
  refuse_cuda(device);
}

}  // namespace haloscope::compute::grids
