#include "compute/exec/cuda.h"
#include "compute/spatial/octree.inl"
#include "compute/spatial/octree_insert.cuh"
#include "compute/spatial/octree_morton.cuh"
#include "compute/spatial/octree_shared.cuh"
#include "compute/spatial/octree_sums.cuh"

namespace haloscope::compute::spatial {

std::unique_ptr<OctreeBuilder> make_cuda_octree_builder(Device device, const Progress* progress) {
  return std::make_unique<OctreeBuilderOn<Cuda>>(std::make_shared<Cuda>(device), progress);
}

}  // namespace haloscope::compute::spatial
