#include "compute/exec/cuda.h"
#include "compute/gravity/direct_potential.inl"
#include "compute/gravity/tree_potential.cuh"
#include "compute/gravity/tree_potential.inl"

namespace haloscope::compute::gravity {

std::vector<double> direct_cuda_potentials(const spatial::PointSet& points, const float* mass,
                                           const TreePotentialOptions& options,
                                           const std::vector<DirectTarget>& targets) {
  return sum_directly<Cuda>(points, mass, options, targets);
}

std::unique_ptr<TreePotential> make_cuda_tree_potential(Device device, const Progress* progress) {
  return std::make_unique<TreePotentialOn<Cuda>>(device, progress);
}

}  // namespace haloscope::compute::gravity
