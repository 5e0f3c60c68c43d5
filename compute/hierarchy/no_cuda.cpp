#include "compute/hierarchy/dendrogram.h"
#include "compute/hierarchy/flat_cut.h"
#include "compute/hierarchy/spanning_forest.h"
#include "core/error.h"

namespace haloscope::compute::hierarchy {

namespace {

[[noreturn]] void refuse(Device device) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace

Dendrogram make_cuda_dendrogram(Device device, const RankedForest&) {
  refuse(device);
}

FlatCut cuda_flat_cut(Device device, const Dendrogram&, std::uint32_t, std::uint64_t) {
  refuse(device);
}

SpanningForest make_cuda_spanning_forest(Device device, const Graph&, Spanning, Timings*) {
  refuse(device);
}

}  // namespace haloscope::compute::hierarchy
