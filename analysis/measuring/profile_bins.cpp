#include "analysis/measuring/profile_bins.h"

#include "analysis/halos/mass_function.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace haloscope::analysis {

namespace {

constexpr double kNoMean = std::numeric_limits<double>::quiet_NaN();

double third_power(double x) {
  return x * x * x;
}

double weighted_mean(double sum, double weight) {
  return weight != 0 ? sum / weight : kNoMean;
}

// The mean mass of a particle of these bins, for the upper limits of those that are empty.
double mean_particle_mass(const RadialBins& sums) {
  double mass = sums.inside.mass;
  std::uint64_t count = sums.inside.count;
  for (const RadialSums& bin : sums.bins) {
    mass += bin.mass;
    count += bin.count;
  }
  return count > 0 ? mass / double(count) : 0;
}

// Of equal masses that scatter as these.
double equal_masses(const RadialSums& sums) {
  return sums.mass_squared > 0 ? sums.mass * sums.mass / sums.mass_squared : double(sums.count);
}

void set_density(const RadialSums& sums, double volume, double typical_mass, ProfileBin& bin) {
  bin.density = sums.mass / volume;
  if (sums.count == 0) {
    bin.density_low = 0;
    bin.density_high = poisson_limits(0)[1] * typical_mass / volume;
    return;
  }
  // Masses that differ scatter as fewer equal ones would.
  const double number = equal_masses(sums);
  const auto [low, high] = poisson_limits_of(number);
  bin.density_low = bin.density * (low / number);
  bin.density_high = bin.density * (high / number);
}

double dispersion_of(const RadialSums& sums) {
  if (sums.moving < 2 || !(sums.moving_mass > 0)) return kNoMean;
  double square = sums.energy / sums.moving_mass;
  for (const double p : sums.momentum) {
    const double mean = p / sums.moving_mass;
    square -= mean * mean;
  }
  // Rounding may leave less than nothing where all move alike.
  return std::sqrt(std::max(square, 0.0) / 3);
}

ProfileDoubts doubts_of(const RadialProfile& profile, std::size_t bin, std::uint64_t count) {
  const double begin = profile.edges.edge(bin);
  ProfileDoubts doubts;
  doubts.softened = profile.softening && begin < kSoftenedReach * *profile.softening;
  doubts.relaxed = profile.relaxation_radius && begin < *profile.relaxation_radius;
  doubts.few = count < kFewestOfProfile;
  return doubts;
}

}  // namespace

std::vector<ProfileBin> bins_of_profile(const RadialBins& sums, const RadialProfile& profile,
                                        bool has_mass) {
  const double typical_mass = mean_particle_mass(sums);
  std::vector<ProfileBin> bins(sums.bins.size());
  std::uint64_t count_within = sums.inside.count;
  double mass_within = sums.inside.mass;
  for (std::size_t k = 0; k < bins.size(); ++k) {
    const RadialSums& sum = sums.bins[k];
    ProfileBin& bin = bins[k];
    bin.count = sum.count;
    const auto limits = poisson_limits(sum.count);
    bin.count_low = limits[0];
    bin.count_high = limits[1];
    bin.count_within = count_within += sum.count;
    mass_within += sum.mass;
    bin.mass_within = has_mass ? mass_within : kNoMean;
    const double volume =
        4 * std::numbers::pi / 3 *
        (third_power(profile.edges.edge(k + 1)) - third_power(profile.edges.edge(k)));
    if (has_mass)
      set_density(sum, volume, typical_mass, bin);
    else
      bin.density = bin.density_low = bin.density_high = kNoMean;
    bin.radial_velocity = weighted_mean(sum.radial_momentum, sum.moving_mass);
    bin.dispersion = dispersion_of(sum);
    const double number = equal_masses(sum);
    bin.radial_velocity_error = bin.dispersion / std::sqrt(number);
    bin.dispersion_error = number > 1 ? bin.dispersion / std::sqrt(6 * (number - 1)) : kNoMean;
    bin.temperature = weighted_mean(sum.heat, sum.heated_mass);
    bin.doubts = doubts_of(profile, k, sum.count);
  }
  return bins;
}

}  // namespace haloscope::analysis
