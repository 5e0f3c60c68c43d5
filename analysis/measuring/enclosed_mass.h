#pragma once

#include "analysis/measuring/radial_sums.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::analysis {

// How many particles, and which mass, lie within each of many radii: steps of 0.7 % or less. What
// limits a profile, and where it may begin and end, is read from it.
class EnclosedMass {
 public:
  // Of all types out to `radius`, from a millionth of it on. The same for any number of threads.
  EnclosedMass(const std::vector<RadialPoints>& types, const RadialFrame& frame, double radius);

  std::uint64_t count() const { return counts_.back(); }
  // The smallest radius of the steps with at least so many particles within.
  std::optional<double> radius_of_count(std::uint64_t count) const;
  // Where the mean density within falls below `density`, going outwards from where it was above
  // among ten particles or more; between two steps a power law. Nothing where it does not.
  std::optional<double> radius_of_density(double density) const;
  // Where two-body relaxation takes 0.6 of the time that a circular orbit takes at the radius of
  // 200 critical densities: Power et al. 2003, MNRAS 338, 14, eq. 20. Further inside, encounters
  // of particles have made the density lower. Nothing without a critical density, and where it is
  // so nowhere.
  std::optional<double> relaxation_radius(double critical_density) const;

 private:
  double mean_density(std::size_t step) const;

  BinEdges steps_;
  std::vector<std::uint64_t> counts_;  // within each edge
  std::vector<double> masses_;
};

}  // namespace haloscope::analysis
