#include "compute/exec/cuda.h"
#include "compute/topology/step_tiles.cuh"

// Behind the steps of this executor, which it looks for.
#include "compute/distributed/slab_tree.inl"

namespace haloscope::compute::distributed {

std::unique_ptr<SlabTree> make_cuda_slab_tree(Ranks& ranks, Device device, Progress& progress,
                                              Wire wire) {
  return std::make_unique<SlabTreeOn<Cuda>>(device, ranks, device, wire, progress);
}

}  // namespace haloscope::compute::distributed
