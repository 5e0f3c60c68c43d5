#include "compute/exec/cuda.h"
#include "compute/spatial/points.inl"

namespace haloscope::compute::spatial {

std::shared_ptr<const PointSet> place_cuda_points(
    Device device, const Domain& domain, const std::array<const std::uint32_t*, 3>& position,
    std::uint64_t count) {
  return std::make_shared<PointsOn<Cuda>>(std::make_shared<Cuda>(device), device, domain, position,
                                          count);
}

}  // namespace haloscope::compute::spatial
