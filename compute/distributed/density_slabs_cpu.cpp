#include "compute/distributed/density_slabs.inl"
#include "compute/exec/cpu.h"

namespace haloscope::compute::distributed {

grids::DensityGrid make_cpu_density_slabs(Ranks& ranks, const grids::GridRequest& request,
                                          const std::vector<grids::GridPoints>& points,
                                          Progress& progress, std::uint64_t at_once) {
  return SlabDeposit<Cpu>(progress, ranks, Device::cpu(), request, at_once, progress).make(points);
}

}  // namespace haloscope::compute::distributed
