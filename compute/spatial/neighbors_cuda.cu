#include "compute/exec/cuda.h"
#include "compute/spatial/climb_blocks.cuh"
#include "compute/spatial/nearest_group.cuh"
#include "compute/spatial/neighbors.inl"

namespace haloscope::compute::spatial {

std::unique_ptr<Neighbors> make_cuda_neighbors(Device device) {
  return std::make_unique<NeighborsOn<Cuda>>(device);
}

}  // namespace haloscope::compute::spatial
