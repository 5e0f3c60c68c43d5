#include "analysis/measuring/enclosed_mass.h"

#include "tests/analysis/measuring/made_sphere.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

// What limits a profile, beside particles sorted by their distance.

using namespace haloscope;
using namespace haloscope::analysis;
using namespace haloscope::test;

namespace {

struct Sorted {
  std::vector<std::pair<double, double>> particles;  // distance and mass

  explicit Sorted(const MadeSphere& sphere) {
    for (const auto& [type, made] : sphere.of)
      for (const MadeParticle& one : made) {
        double square = 0;
        for (std::size_t a = 0; a < 3; ++a)
          square += std::pow(std::remainder(one.place[a] - kMadeCenter[a], kMadeBox), 2);
        particles.emplace_back(std::sqrt(square), one.mass);
      }
    std::sort(particles.begin(), particles.end());
  }

  // The distance of the first particle, from the tenth on, at which `is_there`(number, mean
  // density).
  template <class F>
  double first(const F& is_there) const {
    double mass = 0;
    for (std::size_t k = 0; k < particles.size(); ++k) {
      mass += particles[k].second;
      const double r = particles[k].first;
      const double density = mass / (4 * std::numbers::pi / 3 * r * r * r);
      if (k >= 10 && is_there(double(k + 1), density)) return r;
    }
    return 0;
  }
};

std::vector<RadialPoints> views(const MadeSphere& sphere) {
  std::vector<RadialPoints> all;
  for (const ParticleColumns& columns : sphere.particles.types) {
    RadialPoints points;
    points.count = columns.count;
    for (std::size_t a = 0; a < 3; ++a) points.position[a] = columns.position[a].data();
    points.mass = columns.mass.empty() ? nullptr : columns.mass.data();
    points.uniform_mass = columns.uniform_mass;
    all.push_back(points);
  }
  return all;
}

}  // namespace

TEST_CASE("R200 and the radius of relaxation are those of sorted particles", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  const Sorted sorted(sphere);
  const RadialFrame frame(sphere.particles.domain, kMadeCenter);
  const EnclosedMass enclosed(views(sphere), frame, 10);
  CHECK(enclosed.count() == 7000);
  for (const double density : {1e2, 1e4, 1e6}) {
    const double slow = sorted.first([&](double, double mean) { return mean < density; });
    CHECK(enclosed.radius_of_density(density).value() == Approx(slow).epsilon(0.01));
  }
  for (const double critical : {1., 1e-4}) {
    const double slow = sorted.first([&](double n, double mean) {
      return std::sqrt(200.) / 8 * n / std::log(n) / std::sqrt(mean / critical) >= 0.6;
    });
    CHECK(enclosed.relaxation_radius(critical).value() == Approx(slow).epsilon(0.01));
  }
  CHECK(enclosed.radius_of_count(500).value() == Approx(sorted.particles[499].first).epsilon(0.01));
}

TEST_CASE("what is nowhere so dense has no such radius", "[measuring]") {
  const MadeSphere sphere = made_sphere();
  const RadialFrame frame(sphere.particles.domain, kMadeCenter);
  const EnclosedMass enclosed(views(sphere), frame, 10);
  CHECK_FALSE(enclosed.radius_of_density(1e-9).has_value());
  CHECK_FALSE(enclosed.radius_of_density(1e30).has_value());
  CHECK_FALSE(enclosed.radius_of_density(0).has_value());
  CHECK_FALSE(enclosed.relaxation_radius(0).has_value());
  CHECK_FALSE(enclosed.radius_of_count(7001).has_value());
}
