#include "compute/distributed/resident_groups.inl"
#include "compute/exec/cuda.h"

namespace haloscope::compute::distributed {

std::unique_ptr<ResidentGroups> make_cuda_resident_groups(Device device, Ranks& ranks,
                                                          DeviceRanks& wire) {
  return std::make_unique<ResidentGroupsOn<Cuda>>(device, ranks, wire);
}

}  // namespace haloscope::compute::distributed
