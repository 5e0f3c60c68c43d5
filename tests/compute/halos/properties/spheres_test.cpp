// Spherical overdensities against plain sums over all distances.

#include "compute/halos/properties/properties.h"
#include "core/progress.h"
#include "tests/catch.h"
#include "tests/made/made_halos.h"
#include "tests/made/size.h"

#include <cmath>
#include <random>

using namespace haloscope;
using namespace haloscope::compute::halos;
using namespace haloscope::test;

TEST_CASE("spheres are those of bisection over all distances", "[halos]") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  MadeHalos made;
  for (int i = 0; i < 4000; ++i) made.add({uniform(random), uniform(random), uniform(random)});
  for (int k = 0; k < 6; ++k)
    add_hernquist(made, 700, {uniform(random), uniform(random), 0.99 + 0.03 * uniform(random)},
                  random);
  const HaloPhysics physics = make_test_physics(3000);
  std::vector<SphereRequest> requests;
  std::vector<std::size_t> at;
  for (int k = 0; k < sized(300, 80); ++k) {
    at.push_back(random() % made.size());
    SphereRequest r;
    for (std::size_t a = 0; a < 3; ++a) r.center[a] = made.position[a][at.back()];
    r.mass = std::pow(10.0, 3.5 * uniform(random));
    r.too_small = k % 2 ? 5 : 0;
    requests.push_back(r);
  }
  Progress progress;
  const auto spheres = find_spheres(made.particles(), requests, physics, progress);
  const long double volume = 4 * std::acos(-1.0L) / 3;
  const double densities[] = {200 * physics.critical_density(), 200 * physics.mean_density(),
                              500 * physics.critical_density(), physics.top_hat_density()};
  int found = 0, none = 0, exact = 0;
  for (std::size_t k = 0; k < requests.size(); ++k) {
    std::vector<std::pair<long double, double>> by_distance;
    for (std::size_t i = 0; i < made.size(); ++i)
      by_distance.push_back({made.distance(i, at[k]), double(made.mass[i])});
    for (int kind = 0; kind < kSphereKinds; ++kind) {
      long double left = 0, mass = 0;
      const long double end = 3 * std::cbrt(requests[k].mass / (200 * 3000 * volume));
      long double right = end;
      for (int i = 0; i < 60 && right - left > 1e-4L * left; ++i) {
        const long double middle = (left + right) / 2;
        mass = 0;
        for (const auto& [r, m] : by_distance) mass += r <= middle ? m : 0;
        (mass > densities[kind] * volume * middle * middle * middle ? left : right) = middle;
      }
      const bool good = right < end && mass > requests[k].too_small;
      (good ? found : none) += 1;
      const double radius = good ? double((left + right) / 2) : 0;
      INFO("request " << k << ", kind " << kind);
      CHECK(spheres[k].radius[std::size_t(kind)] == Approx(radius).epsilon(1e-3));
      // Distances are kept as floats: a particle beside a step of the bisection may change its way.
      exact += spheres[k].radius[std::size_t(kind)] == Approx(radius).epsilon(1e-9) &&
               spheres[k].mass[std::size_t(kind)] == Approx(good ? double(mass) : 0).epsilon(1e-6);
    }
  }
  CHECK(exact >= found + none - 5);
  CHECK(found > int(requests.size()) * 2 / 3);
  CHECK(none > int(requests.size()) / 6);
}

TEST_CASE("spheres that overlap are the same searched together or alone", "[halos]") {
  // 600 balls as wide as the box, each with its 8,200 particles: more than are searched at once.
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> uniform;
  MadeHalos made;
  for (int i = 0; i < 4000; ++i) made.add({uniform(random), uniform(random), uniform(random)});
  for (int k = 0; k < 6; ++k)
    add_hernquist(made, 700, {uniform(random), uniform(random), uniform(random)}, random);
  const HaloPhysics physics = make_test_physics(3000);
  std::vector<SphereRequest> requests;
  for (std::size_t k = 0; k < 600; ++k) {
    SphereRequest r;
    for (std::size_t a = 0; a < 3; ++a) r.center[a] = made.position[a][made.size() - 1 - 7 * k];
    r.mass = 1e5;
    requests.push_back(r);
  }
  int found = 0;
  Progress progress;
  const auto together = find_spheres(made.particles(), requests, physics, progress);
  for (std::size_t k = 0; k < requests.size(); k += 40) {
    const auto alone = find_spheres(made.particles(), {requests[k]}, physics, progress);
    INFO("request " << k);
    CHECK(together[k].radius == alone[0].radius);
    CHECK(together[k].mass == alone[0].mass);
    found += alone[0].radius[Critical500] > 0;
  }
  CHECK(found > 5);
}

TEST_CASE("a sphere of six members has a mass and a radius, one of five has none", "[halos]") {
  const HaloPhysics physics = make_test_physics(3000);
  for (const int members : {5, 6}) {
    MadeHalos made;
    for (int i = 0; i < members; ++i) made.add({0.5 + 1e-4 * i, 0.5, 0.5}, 0.1);
    // Of the halo, but too far away to be in the sphere.
    for (int i = 0; i < 5; ++i) made.add({0.6 + 1e-2 * i, 0.5, 0.5}, 0.1);
    made.end_halo();
    Progress progress;
    const auto p = measure_halos(made.particles(), made.members, physics, progress);
    const double mass = 0.1 * members;
    const double radius = std::cbrt(mass / (200 * 3000 * 4 * std::acos(-1.0) / 3));
    const bool enough = members == 6;
    CHECK(p.sphere[0].mass[Critical200] == Approx(enough ? mass : 0));
    CHECK(p.sphere[0].radius[Critical200] == Approx(enough ? radius : 0).epsilon(1e-3));
    CHECK((p.spin[0] >= 0));
  }
}
