#include "compute/distributed/density_slabs.h"
#include "compute/distributed/part_search.h"
#include "compute/distributed/resident_groups.h"
#include "compute/distributed/slab_tree.h"
#include "core/error.h"

namespace haloscope::compute::distributed {

namespace {

[[noreturn]] void refuse(Device device) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace

std::unique_ptr<ResidentGroups> make_cuda_resident_groups(Device device, Ranks&, DeviceRanks&) {
  refuse(device);
}

std::unique_ptr<PartSearch> make_cuda_part_search(const PartOfPoints&, const PartSearchSettings&,
                                                  Device device, Ranks&, DeviceRanks&, Progress&,
                                                  Timings&) {
  refuse(device);
}

std::vector<std::uint32_t> cuda_curve_order(const clusters::LatticePoints&, Device device) {
  refuse(device);
}

grids::DensityGrid make_cuda_density_slabs(Ranks&, Device device, const grids::GridRequest&,
                                           const std::vector<grids::GridPoints>&, Progress&,
                                           std::uint64_t) {
  refuse(device);
}

std::unique_ptr<SlabTree> make_cuda_slab_tree(Ranks&, Device device, Progress&, Wire) {
  refuse(device);
}

}  // namespace haloscope::compute::distributed
