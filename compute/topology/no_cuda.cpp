#include "compute/topology/merge_tree.h"
#include "compute/topology/triplets.h"
#include "core/error.h"

namespace haloscope::compute::topology {

namespace {

[[noreturn]] void refuse(Device device) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace

std::unique_ptr<MergeTree> make_cuda_merge_tree(Device device, Progress&) {
  refuse(device);
}

Triplets make_cuda_triplets(Device device, const ScalarGrid&, const TreeSettings&, Progress&,
                            Timings*) {
  refuse(device);
}

}  // namespace haloscope::compute::topology
