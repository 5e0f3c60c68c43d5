#include "compute/clusters/foreign_neighbors.cuh"
#include "compute/clusters/nearest_lists.cuh"
#include "compute/distributed/part_search.inl"
#include "compute/exec/cuda.h"

namespace haloscope::compute::distributed {

std::unique_ptr<PartSearch> make_cuda_part_search(const PartOfPoints& part, int min_samples,
                                                  Device device, Progress& progress,
                                                  Timings& timings) {
  return made_part_search<Cuda>(part, min_samples, progress, timings, device);
}

}  // namespace haloscope::compute::distributed
