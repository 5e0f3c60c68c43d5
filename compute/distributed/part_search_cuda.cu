#include "compute/clusters/nearest_lists.cuh"
#include "compute/distributed/part_search.inl"
#include "compute/exec/cuda.h"

namespace haloscope::compute::distributed {

std::unique_ptr<PartSearch> make_cuda_part_search(const PartOfPoints& part, Device device,
                                                  Progress&) {
  return made_part_search<Cuda>(part, device);
}

}  // namespace haloscope::compute::distributed
