#include "compute/exec/cuda.h"
#include "compute/topology/merge_tree.inl"
#include "compute/topology/step_tiles.cuh"

namespace haloscope::compute::topology {

std::unique_ptr<MergeTree> make_cuda_merge_tree(Device device, Progress& progress) {
  return std::make_unique<MergeTreeOn<Cuda>>(device, progress);
}

}  // namespace haloscope::compute::topology
