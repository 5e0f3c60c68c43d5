#include "compute/distributed/resident_groups.h"
#include "core/error.h"

namespace haloscope::compute::distributed {

std::unique_ptr<ResidentGroups> make_cuda_resident_groups(Device device, Ranks&, DeviceRanks&) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace haloscope::compute::distributed
