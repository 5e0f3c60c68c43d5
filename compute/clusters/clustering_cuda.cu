#include "compute/clusters/link_cells.cuh"
#include "compute/spatial/climb_blocks.cuh"

namespace haloscope::compute::clusters {

std::unique_ptr<Clustering> make_cuda_clustering() {
  return std::make_unique<ClusteringOn<Cuda>>();
}

}  // namespace haloscope::compute::clusters
