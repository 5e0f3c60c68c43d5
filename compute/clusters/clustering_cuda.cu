#include "compute/clusters/link_cells.cuh"
#include "compute/spatial/climb_blocks.cuh"

namespace haloscope::compute::clusters {

std::unique_ptr<Clustering> make_cuda_clustering(Device device) {
  return std::make_unique<ClusteringOn<Cuda>>(device);
}

}  // namespace haloscope::compute::clusters
