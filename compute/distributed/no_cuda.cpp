#include "compute/distributed/resident_groups.h"
#include "compute/distributed/slab_tree.h"
#include "core/error.h"

namespace haloscope::compute::distributed {

std::unique_ptr<ResidentGroups> make_cuda_resident_groups(Device device, Ranks&, DeviceRanks&) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

std::unique_ptr<SlabTree> make_cuda_slab_tree(Ranks&, Device device, Progress&, Wire) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace haloscope::compute::distributed
