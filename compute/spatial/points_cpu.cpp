#include "compute/exec/cpu.h"
#include "compute/spatial/points.inl"

namespace haloscope::compute::spatial {

std::shared_ptr<const PointSet> place_cpu_points(
    const Domain& domain, const std::array<const std::uint32_t*, 3>& position,
    std::uint64_t count) {
  return std::make_shared<PointsOn<Cpu>>(std::make_shared<Cpu>(), Device::cpu(), domain, position,
                                         count);
}

std::shared_ptr<const PointSet> place_points(Device device, const Domain& domain,
                                             const std::array<const std::uint32_t*, 3>& position,
                                             std::uint64_t count) {
  return device.is_gpu() ? place_cuda_points(device, domain, position, count)
                         : place_cpu_points(domain, position, count);
}

}  // namespace haloscope::compute::spatial
