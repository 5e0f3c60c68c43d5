#include "compute/exec/cuda.h"
#include "compute/gravity/tree_potential.cuh"
#include "compute/gravity/tree_potential.inl"

namespace haloscope::compute::gravity {

std::unique_ptr<TreePotential> make_cuda_tree_potential(Device device) {
  return std::make_unique<TreePotentialOn<Cuda>>(device);
}

}  // namespace haloscope::compute::gravity
