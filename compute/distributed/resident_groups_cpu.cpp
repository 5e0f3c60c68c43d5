#include "compute/distributed/resident_groups.inl"
#include "compute/exec/cpu.h"

namespace haloscope::compute::distributed {

std::unique_ptr<ResidentGroups> make_cpu_resident_groups(Ranks& ranks, DeviceRanks& wire) {
  return std::make_unique<ResidentGroupsOn<Cpu>>(Device::cpu(), ranks, wire);
}

}  // namespace haloscope::compute::distributed
