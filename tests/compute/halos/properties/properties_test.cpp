// Halo properties against what sets made for it are known to have, and against plain sums over all
// pairs.

#include "compute/halos/properties/properties.h"

#include "compute/halos/properties/shape.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/made_halos.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace haloscope;
using namespace haloscope::compute::halos;
using namespace haloscope::test;

namespace {

// All numbers, of which NaN is one.
std::vector<double> all_of(const HaloProperties& p) {
  std::vector<double> all;
  const auto put = [&](const auto& column) { all.insert(all.end(), column.begin(), column.end()); };
  for (const auto* column : {&p.type_length, &p.most_bound_slot, &p.most_bound_row}) put(*column);
  for (const auto* column :
       {&p.type_mass, &p.mass, &p.potential, &p.half_mass_radius, &p.farthest, &p.v_max, &p.r_max,
        &p.b_to_a, &p.c_to_a, &p.velocity_dispersion, &p.spin})
    put(*column);
  for (const auto* column :
       {&p.center_of_mass, &p.most_bound_position, &p.velocity, &p.angular_momentum})
    for (const Vector& v : *column) put(v);
  for (const Sphere& sphere : p.sphere) {
    put(sphere.radius);
    put(sphere.mass);
  }
  all.push_back(double(p.too_wide));
  return all;
}

// What the processor measures. A GPU measures the same, bit for bit.
HaloProperties measure(const MadeHalos& made, const HaloPhysics& physics) {
  Progress progress;
  HaloProperties here = measure_halos(made.particles(), made.members, physics, progress);
  for (const Device& device : test::devices()) {
    if (!device.is_gpu()) continue;
    REQUIRE(can_measure_on(device, made.particles(), made.members.rows.size()));
    const auto expected = all_of(here);
    const auto there =
        all_of(measure_halos_on(device, made.particles(), made.members, physics, progress));
    REQUIRE(there.size() == expected.size());
    std::size_t differ = 0;
    for (std::size_t k = 0; k < there.size(); ++k)
      differ += there[k] != expected[k] && !(std::isnan(there[k]) && std::isnan(expected[k]));
    CHECK(differ == 0);
  }
  return here;
}

// Springel et al. 2001, eq. 71, written as it stands there.
long double spline_by_the_paper(long double r, long double h) {
  const long double u = r / h;
  if (u < 0.5L)
    return (16 * u * u / 3 - 48 * std::pow(u, 4) / 5 + 32 * std::pow(u, 5) / 5 - 2.8L) / h;
  if (u < 1)
    return (1 / (15 * u) + 32 * u * u / 3 - 16 * std::pow(u, 3) + 48 * std::pow(u, 4) / 5 -
            32 * std::pow(u, 5) / 15 - 3.2L) /
           h;
  return -1 / r;
}

// Lowest potential of particles begin … end-1 and its particle.
std::pair<std::size_t, long double> lowest_potential(const MadeHalos& made, std::size_t begin,
                                                     std::size_t end, double softening) {
  std::pair<std::size_t, long double> best{begin, 1};
  const long double h = 2.8L * static_cast<long double>(softening);
  for (std::size_t i = begin; i < end; ++i) {
    long double sum = 0;
    for (std::size_t j = begin; j < end; ++j) {
      const long double r = made.distance(i, j);
      if (i == j || (r == 0 && h == 0)) continue;
      sum += made.mass[j] * (r < h ? spline_by_the_paper(r, h) : -1 / r);
    }
    if (sum < best.second) best = {i, sum};
  }
  return best;
}

// What is the same wherever a halo lies.
std::vector<double> numbers(const HaloProperties& p) {
  std::vector<double> all;
  for (const auto* column :
       {&p.mass, &p.type_mass, &p.potential, &p.half_mass_radius, &p.farthest, &p.v_max, &p.r_max,
        &p.b_to_a, &p.c_to_a, &p.velocity_dispersion, &p.spin})
    all.insert(all.end(), column->begin(), column->end());
  for (const auto* column : {&p.velocity, &p.angular_momentum})
    for (const Vector& v : *column) all.insert(all.end(), v.begin(), v.end());
  for (const Sphere& s : p.sphere) {
    all.insert(all.end(), s.radius.begin(), s.radius.end());
    all.insert(all.end(), s.mass.begin(), s.mass.end());
  }
  all.insert(all.end(), p.most_bound_row.begin(), p.most_bound_row.end());
  return all;
}

}  // namespace

TEST_CASE("two points across the edge of the box", "[halos][gpu]") {
  MadeHalos made;
  made.add({0.99, 0.5, 0.5}, 3, {1, 0, 0});
  made.add({0.03, 0.5, 0.5}, 1, {5, 0, 0});
  made.end_halo();
  HaloPhysics physics;
  physics.gravity = 2;
  const auto p = measure(made, physics);
  REQUIRE(p.count() == 1);
  CHECK(p.mass[0] == 4);
  CHECK(p.type_length[0] == 2);
  CHECK(std::remainder(p.center_of_mass[0][0], 1) == Approx(0).margin(1e-9));
  CHECK(p.center_of_mass[0][1] == Approx(0.5));
  CHECK(p.most_bound_row[0] == 1);  // beside the heavier one
  CHECK(p.most_bound_position[0][0] == Approx(0.03));
  CHECK(p.potential[0] == Approx(-2 * 3 / 0.04));
  CHECK(p.velocity[0][0] == 2);
  CHECK(p.velocity_dispersion[0] == Approx(std::sqrt((3 * 1 + 9) / (3 * 4.0))));
  CHECK(p.farthest[0] == Approx(0.04));
  CHECK(p.half_mass_radius[0] == Approx(0.04));
  CHECK(p.b_to_a[0] == Approx(0).margin(1e-6));
  CHECK(p.sphere[0].radius[Critical200] == 0);  // no cosmology
  CHECK(p.spin[0] == 0);
}

TEST_CASE("the most bound member is that of sums over all pairs", "[halos][gpu]") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const double softening : {0.0, 1e-4, 1e-2}) {
    MadeHalos made;
    for (const std::size_t n : {1u, 2u, 3u, 31u, 33u, 200u, 760u, 780u, 1500u}) {
      if (n % 2)
        add_hernquist(made, n, {0.999, 0.5, 0.001}, random);
      else  // two cores
        for (std::size_t i = 0; i < n; ++i)
          made.add({0.5 + 0.01 * normal(random) + (i % 3 ? 0.03 : 0), 0.5 + 0.01 * normal(random),
                    0.5 + 0.01 * normal(random)});
      made.end_halo();
    }
    HaloPhysics physics;
    physics.gravity = 1;
    physics.softening = softening;
    const auto p = measure(made, physics);
    for (std::size_t halo = 0; halo < p.count(); ++halo) {
      const auto expected =
          lowest_potential(made, made.members.begin[halo], made.members.begin[halo + 1], softening);
      INFO("softening " << softening << ", halo " << halo);
      if (halo > 0) CHECK(p.most_bound_row[halo] == expected.first);
      CHECK(p.potential[halo] == Approx(double(std::min(expected.second, 0.0L))).epsilon(1e-10));
    }
  }
}

TEST_CASE("the tree finds the most bound member of a large halo", "[halos][gpu]") {
  std::mt19937_64 random(4);
  for (const double softening : {1e-3, 2e-5}) {
    MadeHalos made;
    add_hernquist(made, sized<std::size_t>(6000, 2000), {0.2, 0.999, 0.4}, random);
    made.end_halo();
    HaloPhysics physics;
    physics.gravity = 1;
    physics.softening = softening;
    const auto p = measure(made, physics);
    const auto expected = lowest_potential(made, 0, made.size(), softening);
    CHECK(p.most_bound_row[0] == expected.first);
    CHECK(p.potential[0] == Approx(double(expected.second)).epsilon(1e-10));
  }
}

TEST_CASE("members at one point", "[halos][gpu]") {
  MadeHalos made;
  for (int i = 0; i < 2000; ++i) made.add({0.25, 0.25, 0.25});
  made.end_halo();
  for (const double softening : {0.0, 0.1}) {
    HaloPhysics physics = make_test_physics(1);
    physics.softening = softening;
    const auto p = measure(made, physics);
    CHECK(p.most_bound_row[0] == 0);
    CHECK(p.potential[0] == Approx(softening > 0 ? -1999 / softening : 0));
    CHECK(p.v_max[0] == 0);
    CHECK(p.b_to_a[0] == 0);
    CHECK(std::isfinite(p.spin[0]));
  }
}

// These would take many minutes where coincident members cost the square of their number.
TEST_CASE("a million members at one place, of any masses", "[halos][gpu]") {
  // Under the sanitizers the square of a tenth would still take minutes.
  constexpr int kMany = test::sized(1000000, 100000);
  for (const bool equal : {true, false}) {
    MadeHalos made;
    double mass = 0;
    for (int i = 0; i < kMany; ++i) {
      made.add({0.25, 0.25, 0.25}, equal ? 1 : 2 - 1e-6 * i);  // else the last one is the lightest
      mass += double(made.mass.back());
    }
    made.end_halo();
    for (const double softening : {0.0, 0.1}) {
      HaloPhysics physics;
      physics.gravity = 1;
      physics.softening = softening;
      const auto p = measure(made, physics);
      const std::size_t deepest = equal || softening == 0 ? 0 : kMany - 1;
      INFO("equal " << equal << ", softening " << softening);
      CHECK(p.most_bound_row[0] == deepest);
      const double others = mass - double(made.mass[deepest]);
      CHECK(p.potential[0] == Approx(softening > 0 ? -others / softening : 0).epsilon(1e-12));
    }
  }
}

TEST_CASE("half a million members at each of two places", "[halos][gpu]") {
  constexpr int kMany = sized(1000000, 100000);
  MadeHalos made;
  // Two of five at one place, which the heavier other one attracts more.
  for (int i = 0; i < kMany; ++i) made.add({i % 5 < 3 ? 0.25 : 0.26, 0.5, 0.5});
  made.end_halo();
  HaloPhysics physics;
  physics.gravity = 1;
  auto p = measure(made, physics);
  CHECK(p.most_bound_row[0] == 3);
  CHECK(p.potential[0] == Approx(-0.6 * kMany / 0.01).epsilon(1e-6));
  physics.softening = 1e-3;  // now its own place is deeper than the other
  p = measure(made, physics);
  CHECK(p.most_bound_row[0] == 0);
  CHECK(p.potential[0] == Approx(-(0.6 * kMany - 1) / 1e-3 - 0.4 * kMany / 0.01).epsilon(1e-6));
}

TEST_CASE("half a million members without mass attract nothing", "[halos][gpu]") {
  std::mt19937_64 random(12);
  MadeHalos made;
  add_hernquist(made, sized<std::size_t>(500000, 50000), {0.5, 0.5, 0.5}, random);
  std::fill(made.mass.begin(), made.mass.end(), 0.f);
  made.end_halo();
  HaloPhysics physics;
  physics.gravity = 1;
  const auto p = measure(made, physics);
  CHECK(p.most_bound_row[0] == 0);
  CHECK(p.potential[0] == 0);
}

TEST_CASE("a halo with many members at two of its places is that of sums over all pairs",
          "[halos][gpu]") {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> uniform;
  for (const double softening : {0.0, 1e-4, 1e-2}) {
    MadeHalos made;
    for (int round = 0; round < sized(5, 2); ++round) {
      add_hernquist(made, 240, {0.5, 0.5, 0.999}, random);
      for (int i = 0; i < 300; ++i) made.add({0.5, 0.5, 0.999}, 1 + uniform(random));
      for (int i = 0; i < 20; ++i) made.add({0.5, 0.52, 0.999}, i % 4 ? 2 : 0);
    }
    made.end_halo();
    HaloPhysics physics;
    physics.gravity = 1;
    physics.softening = softening;
    const auto p = measure(made, physics);
    const auto expected = lowest_potential(made, 0, made.size(), softening);
    INFO("softening " << softening);
    CHECK(p.most_bound_row[0] == expected.first);
    CHECK(p.potential[0] == Approx(double(expected.second)).epsilon(1e-10));
  }
}

TEST_CASE("a uniform sphere", "[halos][gpu]") {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform;
  MadeHalos made;
  const double radius = 0.05;
  const std::size_t n = 40000;
  const double omega = 3;
  made.add({0.5, 0.5, 0.5}, 1e-3, {100, 0, -50});  // a center for certain
  for (std::size_t i = 1; i < n; ++i) {
    const double r = radius * std::cbrt(uniform(random));
    const Vector u = on_sphere(random);
    made.add({0.5 + r * u[0], 0.5 + r * u[1], 0.5 + r * u[2]}, 1,
             {100 - omega * r * u[1], omega * r * u[0], -50});
  }
  made.end_halo();
  const double pi = std::acos(-1.0);
  const double density = double(n) / (4 * pi / 3 * radius * radius * radius);
  // 200 critical densities are an eighth of the sphere's.
  HaloPhysics physics = make_test_physics(density / 8 / 200);
  physics.softening = 0.01;
  const auto p = measure(made, physics);
  const Vector c = p.most_bound_position[0];
  CHECK(std::hypot(c[0] - 0.5, c[1] - 0.5, c[2] - 0.5) < 0.03 * radius);
  CHECK(p.sphere[0].radius[Critical200] == Approx(2 * radius).epsilon(1e-4));
  CHECK(p.sphere[0].mass[Critical200] == Approx(double(n)).epsilon(1e-4));
  CHECK(p.sphere[0].radius[Mean200] == Approx(2 * radius * std::cbrt(2.0)).epsilon(1e-4));
  CHECK(p.sphere[0].radius[Critical500] == Approx(2 * radius / std::cbrt(2.5)).epsilon(1e-4));
  CHECK(p.half_mass_radius[0] == Approx(radius / std::cbrt(2.0)).epsilon(0.02));
  CHECK(p.farthest[0] == Approx(radius).epsilon(0.04));
  CHECK(p.r_max[0] == Approx(radius).epsilon(0.05));
  CHECK(p.v_max[0] == Approx(std::sqrt(double(n) / radius)).epsilon(0.02));
  CHECK(p.b_to_a[0] == Approx(1).epsilon(0.02));
  CHECK(p.c_to_a[0] == Approx(1).epsilon(0.02));
  // Rigid rotation: J / M = 2/5 ω R², and σ² = ω² 2/5 R² / 3.
  CHECK(p.velocity[0][0] == Approx(100).epsilon(1e-4));
  CHECK(p.velocity_dispersion[0] == Approx(omega * radius * std::sqrt(2.0 / 15)).epsilon(0.01));
  const double j = 0.4 * omega * radius * radius;
  CHECK(p.angular_momentum[0][2] == Approx(j).epsilon(0.01));
  CHECK(std::abs(p.angular_momentum[0][0]) < 0.02 * j);
  const double r200 = 2 * radius;
  CHECK(p.spin[0] ==
        Approx(j / (std::sqrt(2.0) * std::sqrt(double(n) / r200) * r200)).epsilon(0.01));
}

TEST_CASE("axis ratios of ellipsoids", "[halos][gpu]") {
  // Rotated by an arbitrary angle about each axis.
  MadeHalos made;
  const double cosine = std::cos(0.7), sine = std::sin(0.7);
  const Vector axes{0.1, 0.06, 0.03};
  for (std::size_t a = 0; a < 3; ++a)
    for (const double sign : {-1.0, 1.0}) {
      Vector x{};
      x[a] = sign * axes[a];
      for (std::size_t b = 0; b < 3; ++b) {
        const double u = x[b], v = x[(b + 1) % 3];
        x[b] = cosine * u - sine * v;
        x[(b + 1) % 3] = sine * u + cosine * v;
      }
      made.add({0.5 + x[0], 0.5 + x[1], 0.5 + x[2]});
    }
  made.end_halo();
  const auto p = measure(made, HaloPhysics{});
  CHECK(p.b_to_a[0] == Approx(0.6).epsilon(1e-7));
  CHECK(p.c_to_a[0] == Approx(0.3).epsilon(1e-7));
  const auto e = eigenvalues({2, 3, 4, 0, 0, 0});
  CHECK(e[0] == Approx(4));
  CHECK(e[1] == Approx(3));
  CHECK(e[2] == Approx(2));
}

TEST_CASE("a measurement that is cancelled in its last phase does not go on to the end",
          "[halos][gpu]") {
  std::mt19937_64 random(10);
  MadeHalos made;
  add_hernquist(made, 3000, {0.5, 0.5, 0.5}, random);
  made.end_halo();
  Progress* running = nullptr;
  Progress progress([&](const std::string& phase, double) {
    if (phase == "halo shapes") running->cancel();
  });
  running = &progress;
  CHECK_THROWS_AS(measure_halos(made.particles(), made.members, make_test_physics(3000), progress),
                  Cancelled);
}

TEST_CASE("a halo across the edges of the box is the same halo in the middle", "[halos][gpu]") {
  std::mt19937_64 random(8);
  MadeHalos made;
  for (const std::size_t n : {40u, 500u, 3000u}) {
    add_hernquist(made, n, {0.5, 0.5, 0.5}, random);
    made.end_halo();
  }
  HaloPhysics physics = make_test_physics(1000);
  physics.softening = 1e-4;
  const auto middle = measure(made, physics);
  for (std::size_t a = 0; a < 3; ++a)
    for (auto& x : made.position[a]) x += 0x80000000u + 12345u * std::uint32_t(a);
  const auto edge = measure(made, physics);
  CHECK(numbers(middle) == numbers(edge));
  CHECK(edge.center_of_mass[2][0] ==
        Approx(std::fmod(middle.center_of_mass[2][0] + 0.5, 1.0)).epsilon(1e-12));
}

TEST_CASE("results depend neither on threads nor on a halo's neighbors", "[halos][gpu]") {
  std::mt19937_64 random(9);
  MadeHalos made;
  for (int k = 0; k < test::sized(300, 60); ++k) {
    std::uniform_real_distribution<double> uniform;
    add_hernquist(made, k == 7 ? test::sized(40000u, 8000u) : 20 + random() % 900,
                  {uniform(random), uniform(random), uniform(random)}, random);
    made.end_halo();
  }
  HaloPhysics physics = make_test_physics(1000);
  physics.softening = 1e-4;
  std::vector<double> alone;
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    alone = numbers(measure(made, physics));
  }
  for (int repeat = 0; repeat < 3; ++repeat) CHECK(numbers(measure(made, physics)) == alone);
}

// Copies share one potential, to the last bit: the first is taken however many there are, wherever
// they stand in the list.
TEST_CASE("of members of equal potential the first is the most bound", "[halos][gpu]") {
  std::mt19937_64 random(10);
  for (const std::size_t n : {300u, 3000u})
    for (const double softening : {0.0, 1e-4}) {
      MadeHalos once, made;
      add_hernquist(once, n, {0.5, 0.5, 0.5}, random);
      for (int copy = 0; copy < 40; ++copy)
        for (std::size_t i = 0; i < n; i += copy == 0 || i > n / 2 ? 1 : 7) made.add_copy(once, i);
      made.end_halo();
      HaloPhysics physics;
      physics.gravity = 1;
      physics.softening = softening;
      const auto p = measure(made, physics);
      const std::size_t found = p.most_bound_row[0];
      for (std::size_t i = 0; i < found; ++i) {
        const bool same = made.distance(i, found) == 0 && made.mass[i] == made.mass[found];
        CHECK_FALSE(same);
      }
    }
}

TEST_CASE("masses that are no numbers leave the first member", "[halos][gpu]") {
  std::mt19937_64 random(11);
  for (const float mass : {std::nanf(""), INFINITY, 0.f}) {
    MadeHalos made;
    add_hernquist(made, 3000, {0.5, 0.5, 0.5}, random);
    for (float& m : made.mass) m = mass;
    made.end_halo();
    HaloPhysics physics;
    physics.gravity = 1;
    CHECK(measure(made, physics).most_bound_row[0] == 0);
  }
}

TEST_CASE("halos as wide as half the box are counted", "[halos][gpu]") {
  MadeHalos made;
  for (int i = 0; i <= 40; ++i) made.add({0.8 + 0.01 * i, 0.5, 0.5});
  made.end_halo();
  for (int i = 0; i <= 60; ++i) made.add({0.3, 0.8 + 0.01 * i, 0.5});
  made.end_halo();
  // All the way around.
  for (int i = 0; i < 2000; ++i) made.add({0.3, 0.2, i / 2000.0});
  made.end_halo();
  CHECK(measure(made, {}).too_wide == 2);
}

TEST_CASE("members that are not there are told", "[halos][gpu]") {
  MadeHalos made;
  made.add({0.5, 0.5, 0.5});
  made.end_halo();
  made.members.rows[0] = 1;
  CHECK_THROWS_WITH(measure(made, {}), Catch::Contains("halo 0 has a member in row 1 of 1"));
  made.members = {{0, 7, 0}, {0, 3}};
  CHECK_THROWS_WITH(measure(made, {}), Catch::Contains("halo 0 has a member in row 7 of 1"));
  made.members = {{}, {0, 0}};
  CHECK_THROWS_WITH(measure(made, {}), Catch::Contains("halo 0 has no members"));
  made.members = {{0}, {0}};
  CHECK_THROWS_WITH(measure(made, {}), Catch::Contains("does not fit"));
  made.members = {{}, {0}};
  CHECK(measure(made, {}).count() == 0);
}
