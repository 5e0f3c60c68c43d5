#pragma once

#include "compute/gravity/tree_potential.h"

#include <cstdint>
#include <vector>

// Potentials by sums over all bodies, one by one and in double: what a tree's are measured by.
namespace haloscope::compute::gravity {

// A body whose potential is wanted.
struct DirectTarget {
  std::uint32_t x, y, z;
  std::uint32_t row;  // is left out of its own sum
};

// In units as TreePotential; each pair has its own nearest image. Ewald's correction is
// interpolated in single precision, whose error is below 10⁻⁵ of all masses over the box's side. Of
// `options` the images and the softening count. Bad masses attract nothing.
std::vector<double> direct_potentials(const spatial::PointSet& points, const float* mass,
                                      const TreePotentialOptions& options,
                                      const std::vector<DirectTarget>& targets);

std::vector<double> direct_cpu_potentials(const spatial::PointSet& points, const float* mass,
                                          const TreePotentialOptions& options,
                                          const std::vector<DirectTarget>& targets);
std::vector<double> direct_cuda_potentials(const spatial::PointSet& points, const float* mass,
                                           const TreePotentialOptions& options,
                                           const std::vector<DirectTarget>& targets);

inline std::vector<double> direct_potentials(const spatial::PointSet& points, const float* mass,
                                             const TreePotentialOptions& options,
                                             const std::vector<DirectTarget>& targets) {
  return points.device().is_gpu() ? direct_cuda_potentials(points, mass, options, targets)
                                  : direct_cpu_potentials(points, mass, options, targets);
}

}  // namespace haloscope::compute::gravity
