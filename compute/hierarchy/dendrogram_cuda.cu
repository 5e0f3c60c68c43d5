#include "compute/exec/cuda.h"
#include "compute/hierarchy/dendrogram.inl"

namespace haloscope::compute::hierarchy {

Dendrogram make_cuda_dendrogram(Device device, const RankedForest& forest) {
  Cuda exec(device);
  return dendrogram_on(exec, forest);
}

}  // namespace haloscope::compute::hierarchy
