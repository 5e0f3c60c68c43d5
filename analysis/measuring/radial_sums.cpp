#include "analysis/measuring/radial_sums.h"

#include "analysis/measuring/slice_sums.h"

#include <cmath>

namespace haloscope::analysis {

namespace {

using RadialVector = std::array<double, 3>;

constexpr std::size_t kRadialSlices = 64;

double radius_of(const RadialVector& v) {
  return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

bool all_finite(const RadialVector& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

RadialVector stored_velocity(const RadialPoints& points, std::uint64_t row) {
  return {double(points.velocity[0][row]), double(points.velocity[1][row]),
          double(points.velocity[2][row])};
}

// One particle into the sums of its bin.
class RadialAdding {
 public:
  RadialAdding(const RadialPoints& points, const RadialVector& frame_velocity, RadialBins& bins)
      : points_(points), frame_velocity_(frame_velocity), bins_(bins) {}

  void add(std::uint64_t row, const RadialVector& place, double radius, double mass,
           RadialSums& sums) {
    ++sums.count;
    sums.mass += mass;
    sums.mass_squared += mass * mass;
    if (points_.velocity[0]) add_velocity(row, place, radius, mass, sums);
    if (!points_.temperature) return;
    const double temperature = double(points_.temperature[row]);
    if (!std::isfinite(temperature)) {
      ++bins_.no_temperature;
      return;
    }
    sums.heated_mass += mass;
    sums.heat += mass * temperature;
  }

 private:
  void add_velocity(std::uint64_t row, const RadialVector& place, double radius, double mass,
                    RadialSums& sums) {
    RadialVector v = stored_velocity(points_, row);
    if (!all_finite(v)) {
      ++bins_.no_velocity;
      return;
    }
    double square = 0, outward = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      v[a] -= frame_velocity_[a];
      square += v[a] * v[a];
      outward += v[a] * place[a];
      sums.momentum[a] += mass * v[a];
    }
    ++sums.moving;
    sums.moving_mass += mass;
    sums.energy += mass * square;
    // A particle at the center itself moves in no radial direction.
    if (radius > 0) sums.radial_momentum += mass * (outward / radius);
  }

  const RadialPoints& points_;
  const RadialVector& frame_velocity_;
  RadialBins& bins_;
};

}  // namespace

RadialFrame::RadialFrame(const Domain& domain, const RadialVector& center)
    : domain_(domain), center_(center) {
  if (!domain.periodic) return;
  for (std::size_t a = 0; a < 3; ++a) {
    const double boxes = std::floor((center[a] - domain.origin[a]) / domain.side);
    center_[a] = center[a] - boxes * domain.side;
    fixed_[a] = domain.to_fixed(center_[a], int(a));
    beyond_fixed_[a] = center_[a] - domain.to_world(fixed_[a], int(a));
    // A center that rounds up to the far edge is the step 0 of the next box.
    if (beyond_fixed_[a] > domain.side / 2) beyond_fixed_[a] -= domain.side;
  }
}

RadialVector RadialFrame::from_center(const RadialPoints& points, std::uint64_t row) const {
  RadialVector place;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::uint32_t p = points.position[a][row];
    // Without a box the difference may be larger than whole numbers of 32 bits hold.
    place[a] = domain_.periodic
                   ? double(std::int32_t(p - fixed_[a])) * domain_.step() - beyond_fixed_[a]
                   : domain_.to_world(p, int(a)) - center_[a];
  }
  return place;
}

RadialSums& RadialSums::operator+=(const RadialSums& other) {
  count += other.count;
  mass += other.mass;
  mass_squared += other.mass_squared;
  moving += other.moving;
  moving_mass += other.moving_mass;
  for (std::size_t a = 0; a < 3; ++a) momentum[a] += other.momentum[a];
  energy += other.energy;
  radial_momentum += other.radial_momentum;
  heated_mass += other.heated_mass;
  heat += other.heat;
  return *this;
}

RadialBins& RadialBins::operator+=(const RadialBins& other) {
  inside += other.inside;
  for (std::size_t k = 0; k < bins.size(); ++k) bins[k] += other.bins[k];
  no_mass += other.no_mass;
  no_velocity += other.no_velocity;
  no_temperature += other.no_temperature;
  return *this;
}

RadialBins sum_radial_bins(const RadialPoints& points, const RadialFrame& frame,
                           const BinEdges& edges, const RadialVector& velocity) {
  RadialBins empty;
  empty.bins.resize(edges.count());
  return sum_in_slices(points.count, kRadialSlices, empty,
                       [&](RadialBins& bins, std::uint64_t begin, std::uint64_t end) {
                         RadialAdding adding(points, velocity, bins);
                         for (std::uint64_t row = begin; row != end; ++row) {
                           const RadialVector place = frame.from_center(points, row);
                           const double radius = radius_of(place);
                           if (!(radius < edges.high())) continue;
                           const double mass = points.mass_of(row);
                           if (!std::isfinite(mass)) {
                             ++bins.no_mass;
                             continue;
                           }
                           const auto bin = edges.find(radius);
                           adding.add(row, place, radius, mass,
                                      bin ? bins.bins[*bin] : bins.inside);
                         }
                       });
}

SphereMotion& SphereMotion::operator+=(const SphereMotion& other) {
  count += other.count;
  mass += other.mass;
  for (std::size_t a = 0; a < 3; ++a) momentum[a] += other.momentum[a];
  return *this;
}

SphereMotion sum_motion(const RadialPoints& points, const RadialFrame& frame, double radius) {
  if (!points.velocity[0]) return {};
  return sum_in_slices(points.count, kRadialSlices, SphereMotion{},
                       [&](SphereMotion& sums, std::uint64_t begin, std::uint64_t end) {
                         for (std::uint64_t row = begin; row != end; ++row) {
                           if (!(radius_of(frame.from_center(points, row)) < radius)) continue;
                           const double mass = points.mass_of(row);
                           const RadialVector v = stored_velocity(points, row);
                           if (!std::isfinite(mass) || !all_finite(v)) continue;
                           ++sums.count;
                           sums.mass += mass;
                           for (std::size_t a = 0; a < 3; ++a) sums.momentum[a] += mass * v[a];
                         }
                       });
}

}  // namespace haloscope::analysis
