#include "compute/hierarchy/dendrogram.h"
#include "core/error.h"

namespace haloscope::compute::hierarchy {

Dendrogram make_cuda_dendrogram(Device device, const RankedForest&) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

}  // namespace haloscope::compute::hierarchy
