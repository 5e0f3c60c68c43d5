#include "compute/clusters/cluster_tree.inl"
#include "compute/clusters/foreign_neighbors.cuh"
#include "compute/clusters/nearest_lists.cuh"
#include "compute/exec/cuda.h"
#include "compute/hierarchy/flat_cut.cuh"

namespace haloscope::compute::clusters {

std::unique_ptr<ClusterTree> make_cuda_cluster_tree(Device device, Progress& progress) {
  return std::make_unique<ClusterTreeOn<Cuda>>(device, progress);
}

}  // namespace haloscope::compute::clusters
