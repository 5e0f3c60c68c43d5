#include "compute/gravity/direct_potential.h"
#include "compute/gravity/tree_potential.h"
#include "core/error.h"

namespace haloscope::compute::gravity {

std::unique_ptr<TreePotential> make_cuda_tree_potential(Device device, const Progress*) {
  throw Error("this build has no CUDA", "--device " + device.word(), "use --device cpu");
}

std::vector<double> direct_cuda_potentials(const spatial::PointSet& points, const float*,
                                           const TreePotentialOptions&,
                                           const std::vector<DirectTarget>&) {
  throw Error("this build has no CUDA", "--device " + points.device().word(), "use --device cpu");
}

}  // namespace haloscope::compute::gravity
