#include "compute/distributed/density_slabs.inl"
#include "compute/exec/cuda.h"

namespace haloscope::compute::distributed {

grids::DensityGrid make_cuda_density_slabs(Ranks& ranks, Device device,
                                           const grids::GridRequest& request,
                                           const std::vector<grids::GridPoints>& points,
                                           Progress& progress, std::uint64_t at_once) {
  return SlabDeposit<Cuda>(device, ranks, device, request, at_once, progress).make(points);
}

}  // namespace haloscope::compute::distributed
