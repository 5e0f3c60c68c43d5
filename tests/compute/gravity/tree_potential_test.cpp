// Potentials of a tree against sums over all pairs, alone and with images.

#include "compute/gravity/tree_potential.h"

#include "compute/gravity/direct_potential.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/placed_points.h"
#include "tests/oracles/slow_potential.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::gravity;
using haloscope::compute::Device;
using test::Kind;
using test::Points;

namespace {

struct Bodies {
  Points p;
  std::vector<float> mass;
  Domain domain;

  std::size_t size() const { return mass.size(); }
  void add(std::uint32_t x, std::uint32_t y, std::uint32_t z, float m) {
    p[0].push_back(x);
    p[1].push_back(y);
    p[2].push_back(z);
    mass.push_back(m);
  }
};

Bodies some_bodies(Kind kind, std::size_t n, bool periodic, std::mt19937_64& random) {
  Bodies b{test::make_points(kind, n, random), {}, test::periodic_domain(50)};
  b.domain.periodic = periodic;
  if (!periodic) b.p = test::in_middle_half(std::move(b.p));
  for (std::size_t i = 0; i < n; ++i) b.mass.push_back(0.5f + float(random() % 1000) / 1000);
  return b;
}

struct Found {
  std::vector<float> potential;
  TreePotentialCounts counts;
};

Found potentials(Device device, const Bodies& b, const TreePotentialOptions& options) {
  const auto tree = make_tree_potential(device);
  tree->set_bodies(test::placed(device, b.domain, b.p).front(), b.mass.data());
  Found found;
  found.potential.resize(b.size());
  found.counts = tree->sum(options, found.potential.data());
  return found;
}

TreePotentialOptions options_of(Images images, double support = 0) {
  TreePotentialOptions options;
  options.images = images;
  options.softening_support = support;
  return options;
}

double total(const Bodies& b) {
  double sum = 0;
  for (const float m : b.mass) sum += m >= 0 && std::isfinite(m) ? double(m) : 0;
  return sum;
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum / double(values.size()));
}

std::vector<double> slow(const Bodies& b, const TreePotentialOptions& options,
                         const std::vector<std::size_t>& rows) {
  const test::HeavyPoints heavy{b.p, b.mass, b.domain, options.softening_support};
  std::vector<double> all;
  if (options.images == Images::None)
    for (const std::size_t i : rows) all.push_back(test::slow_potential(heavy, i));
  if (options.images == Images::Nearest)
    for (const std::size_t i : rows) all.push_back(test::slow_nearest_potential(heavy, i));
  if (options.images == Images::Ewald) {
    const test::SlowEwald ewald(heavy);
    for (const std::size_t i : rows) all.push_back(ewald.potential(i));
  }
  return all;
}

// In 99 of 100 bodies, `least` beside: of a box few of whose bodies differ from a lattice.
void check_errors(const Found& found, const std::vector<double>& exact,
                  const std::vector<std::size_t>& rows, double least) {
  std::vector<double> errors;
  for (std::size_t k = 0; k < rows.size(); ++k)
    errors.push_back(std::abs(double(found.potential[rows[k]]) - exact[k]));
  std::sort(errors.begin(), errors.end());
  const double allowed = 1e-3 * rms(exact) + least;
  CHECK(errors[rows.size() * 99 / 100] <= allowed);
  CHECK(errors.back() <= 5 * allowed);
}

std::vector<std::size_t> every(std::size_t step, std::size_t n) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; i += step) rows.push_back(i);
  return rows;
}

}  // namespace

TEST_CASE("a tree's potentials are those of all pairs to what accuracy says",
          "[gravity][few][gpu]") {
  std::mt19937_64 random(201);
  for (int kind = 0; kind < test::kKinds; ++kind)
    for (const bool periodic : {false, true})
      for (const double support : {0.0, 0.01, 2.0}) {
        const Bodies b = some_bodies(Kind(kind), 4000, periodic, random);
        const TreePotentialOptions options = options_of(Images::None, support);
        const auto rows = every(13, b.size());
        const auto exact = slow(b, options, rows);
        for (const Device device : test::devices()) {
          INFO(device << ", kind " << kind << ", periodic " << periodic << ", h " << support);
          const Found found = potentials(device, b, options);
          check_errors(found, exact, rows, 0);
          CHECK(found.counts.total_mass == Approx(total(b)));
        }
      }
}

TEST_CASE("a tree's potentials with images are those of Ewald's sums", "[gravity][few][gpu]") {
  std::mt19937_64 random(202);
  for (int kind = 0; kind < test::kKinds; ++kind)
    for (const std::size_t n : {20u, 3000u}) {
      const Bodies b = some_bodies(Kind(kind), n, true, random);
      const TreePotentialOptions options = options_of(Images::Ewald, 0.1);
      const auto rows = every(n < 100 ? 1 : 29, n);
      const auto exact = slow(b, options, rows);
      for (const Device device : test::devices()) {
        INFO(device << ", kind " << kind << ", " << n << " bodies");
        // Polynomials of third order over a group and a cell leave out so much of the images.
        check_errors(potentials(device, b, options), exact, rows, 1e-4 * total(b) / 50);
      }
    }
}

// Bodies about the box's corners, all of them nearer to each other than half the box: farther ones
// have no image that a cell has as a whole.
TEST_CASE("a tree's potentials of nearest images are those of all pairs", "[gravity][few][gpu]") {
  std::mt19937_64 random(210);
  for (int kind = 0; kind < test::kKinds; ++kind) {
    Bodies b = some_bodies(Kind(kind), 4000, false, random);
    b.domain.periodic = true;
    for (auto& axis : b.p)
      for (auto& x : axis) x += 1u << 31;
    const TreePotentialOptions options = options_of(Images::Nearest, 0.1);
    const auto rows = every(13, b.size());
    const auto exact = slow(b, options, rows);
    for (const Device device : test::devices()) {
      INFO(device << ", kind " << kind);
      check_errors(potentials(device, b, options), exact, rows, 0);
    }
  }
}

TEST_CASE("potentials end when their job is cancelled", "[gravity][few][gpu]") {
  std::mt19937_64 random(211);
  const Bodies b = some_bodies(Kind::Clustered, 3000, false, random);
  for (const Device device : test::devices()) {
    INFO(device);
    Progress progress;
    const auto tree = make_tree_potential(device, &progress);
    tree->set_bodies(test::placed(device, b.domain, b.p).front(), b.mass.data());
    std::vector<float> potential(b.size());
    CHECK(tree->sum({}, potential.data()).bodies == b.size());
    progress.cancel();
    CHECK_THROWS_AS(tree->sum({}, potential.data()), Cancelled);
  }
}

TEST_CASE("a smaller accuracy makes a tree's potentials more accurate", "[gravity][few][gpu]") {
  std::mt19937_64 random(203);
  const Bodies b = some_bodies(Kind::Clustered, 20000, false, random);
  TreePotentialOptions options = options_of(Images::None, 0.05);
  const auto rows = every(101, b.size());
  const auto exact = slow(b, options, rows);
  for (const Device device : test::devices()) {
    double before = 1;
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
      INFO(device << ", accuracy " << accuracy);
      options.accuracy = accuracy;
      const Found found = potentials(device, b, options);
      double squares = 0;
      for (std::size_t k = 0; k < rows.size(); ++k)
        squares += std::pow(double(found.potential[rows[k]]) - exact[k], 2);
      const double error = std::sqrt(squares / double(rows.size())) / rms(exact);
      CHECK(error < accuracy);
      CHECK(error < 0.8 * before);
      before = error;
    }
  }
}

TEST_CASE("a tree's potentials have the same bits in any two runs, and executors agree",
          "[gravity][few][gpu]") {
  std::mt19937_64 random(204);
  for (const Kind kind : {Kind::Uniform, Kind::Clustered, Kind::Duplicates})
    for (const Images images : {Images::None, Images::Ewald, Images::Nearest}) {
      const Bodies b = some_bodies(kind, 20000, true, random);
      const TreePotentialOptions options = options_of(images, 0.02);
      std::vector<Found> all;
      for (const Device device : test::devices())
        for (int run = 0; run < 2; ++run) all.push_back(potentials(device, b, options));
      for (std::size_t d = 0; d < all.size(); d += 2)
        CHECK(std::memcmp(all[d].potential.data(), all[d + 1].potential.data(),
                          b.size() * sizeof(float)) == 0);
      // Both open the same cells but for those at the very limit, and round sums of so many terms
      // in their own ways. The depth of all masses is more than what any sum has on its way.
      const double depth = total(b) / 50 * 3 + all[0].counts.typical;
      double worst = 0;
      for (std::size_t i = 0; i < b.size(); ++i)
        worst = std::max(worst, std::abs(double(all.back().potential[i] - all[0].potential[i])));
      INFO("kind " << int(kind) << ", images " << int(images));
      CHECK(worst <= 2e-5 * depth);
      CHECK(all.back().counts.cell_terms == Approx(double(all[0].counts.cell_terms)).epsilon(1e-3));
      CHECK(all.back().counts.body_terms == Approx(double(all[0].counts.body_terms)).epsilon(1e-3));
    }
}

TEST_CASE("potentials of none, one and two bodies", "[gravity][few][gpu]") {
  for (const Device device : test::devices()) {
    INFO(device);
    Bodies b{{}, {}, test::periodic_domain(8)};
    CHECK(potentials(device, b, {}).counts.bodies == 0);
    b.add(7, 3000000000u, 5, 3);
    for (const double support : {0.0, 0.5}) {
      CHECK(potentials(device, b, options_of(Images::None, support)).potential[0] == 0);
      CHECK(double(potentials(device, b, options_of(Images::Ewald, support)).potential[0]) ==
            Approx(2.8372975 * 3 / 8).epsilon(1e-6));
    }
    // Across the domain, at one step, and at one place.
    const double step = b.domain.step();
    b.add(8, 3000000000u, 5, 2);
    Found found = potentials(device, b, options_of(Images::None));
    CHECK(double(found.potential[0]) == Approx(-2 / step).epsilon(1e-6));
    CHECK(double(found.potential[1]) == Approx(-3 / step).epsilon(1e-6));
    b.p[0][1] = 4294967295u;
    found = potentials(device, b, options_of(Images::None));
    CHECK(double(found.potential[0]) == Approx(-2 / (step * 4294967288.0)).epsilon(1e-6));
    found = potentials(device, b, options_of(Images::Nearest));
    CHECK(double(found.potential[0]) == Approx(-2 / (step * 8)).epsilon(1e-6));
    b.p[0][1] = 7;
    CHECK(potentials(device, b, options_of(Images::None)).potential[0] == 0);
    found = potentials(device, b, options_of(Images::None, 0.01));
    CHECK(double(found.potential[0]) == Approx(-2 * 2.8 / 0.01).epsilon(1e-6));
    CHECK(double(found.potential[1]) == Approx(-3 * 2.8 / 0.01).epsilon(1e-6));
  }
}

TEST_CASE("bodies a step apart attract each other in full, however wide their group is",
          "[gravity][few][gpu]") {
  Bodies b{{}, {}, test::periodic_domain(8)};
  b.add(7, 3000000000u, 5, 3);
  b.add(8, 3000000000u, 5, 2);
  // In one cell of the level at which groups end, 2²⁷ steps from the group's middle.
  b.add((1u << 28) - 9, 3000000000u, (1u << 28) - 9, 0.5f);
  for (const Device device : test::devices())
    for (const Images images : {Images::None, Images::Nearest}) {
      INFO(device << ", images " << int(images));
      const Found found = potentials(device, b, options_of(images));
      CHECK(double(found.potential[0]) == Approx(-2 / b.domain.step()).epsilon(1e-5));
      CHECK(double(found.potential[1]) == Approx(-3 / b.domain.step()).epsilon(1e-5));
    }
}

TEST_CASE("bodies at one place have the spline's central potential, or none",
          "[gravity][few][gpu]") {
  std::mt19937_64 random(205);
  const Bodies b = some_bodies(Kind::OnePoint, 3000, false, random);
  for (const Device device : test::devices()) {
    INFO(device);
    const Found points = potentials(device, b, options_of(Images::None));
    const Found soft = potentials(device, b, options_of(Images::None, 0.1));
    for (std::size_t i = 0; i < b.size(); i += 100) {
      CHECK(points.potential[i] == 0);
      const double others = total(b) - double(b.mass[i]);
      CHECK(double(soft.potential[i]) == Approx(-others * 28).epsilon(1e-5));
    }
  }
}

TEST_CASE("a lattice of bodies has the potential of one in a smaller box", "[gravity][few][gpu]") {
  Bodies b{{}, {}, test::periodic_domain(12)};
  for (std::uint32_t k = 0; k < 4096; ++k)
    b.add((k & 15) << 28, (k >> 4 & 15) << 28, (k >> 8) << 28, 5);
  for (const Device device : test::devices()) {
    INFO(device);
    const Found found = potentials(device, b, options_of(Images::Ewald));
    // What is left is the 4096th part of what a mass alone would have of all.
    const double left = 2.8372975 * 16 * 5 / 12;
    double worst = 0;
    for (const float p : found.potential) worst = std::max(worst, std::abs(double(p) - left));
    CHECK(worst < 2e-5 * 4096 * 5 / 12);
  }
}

TEST_CASE("bodies of no mass have potentials and attract nothing, and bad masses are counted",
          "[gravity][few][gpu]") {
  std::mt19937_64 random(206);
  Bodies b = some_bodies(Kind::Clustered, 3000, false, random);
  b.domain.side = 500;
  for (std::size_t i = 0; i < b.size(); i += 3) b.mass[i] = 0;
  b.mass[1] = -5;
  b.mass[4] = std::numeric_limits<float>::quiet_NaN();
  b.mass[7] = std::numeric_limits<float>::infinity();
  const TreePotentialOptions options = options_of(Images::None, 0.5);
  const auto rows = every(7, b.size());
  const auto exact = slow(b, options, rows);
  Bodies massless = b;
  std::fill(massless.mass.begin(), massless.mass.end(), 0.f);
  // Masses in small units: their sum is beyond single precision.
  Bodies heavy = b;
  for (float& m : heavy.mass) m = std::ldexp(m, 118);
  for (const Device device : test::devices()) {
    INFO(device);
    const Found found = potentials(device, b, options);
    check_errors(found, exact, rows, 0);
    CHECK(found.counts.bad_masses == 3);
    for (const float p : potentials(device, massless, options).potential) REQUIRE(p == 0);
    const Found large = potentials(device, heavy, options);
    CHECK(large.counts.total_mass > double(std::numeric_limits<float>::max()));
    for (std::size_t i = 0; i < b.size(); ++i)
      REQUIRE(large.potential[i] == std::ldexp(found.potential[i], 118));
  }
}

TEST_CASE("potentials that cannot be are refused in a sentence", "[gravity]") {
  std::mt19937_64 random(207);
  const auto refusal = [](const Bodies& b, const TreePotentialOptions& options) -> std::string {
    try {
      potentials(Device::cpu(), b, options);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const Bodies open = some_bodies(Kind::Uniform, 10, false, random);
  const Bodies box = some_bodies(Kind::Uniform, 10, true, random);
  using Catch::Matchers::Contains;
  CHECK_THAT(refusal(open, options_of(Images::Ewald)), Contains("need a periodic box"));
  CHECK_THAT(refusal(box, options_of(Images::Ewald, 7)), Contains("an eighth of the box"));
  CHECK_THAT(refusal(box, options_of(Images::None, -1)), Contains("a softening of -1"));
  TreePotentialOptions options;
  options.accuracy = 0;
  CHECK_THAT(refusal(box, options), Contains("an accuracy of 0"));
  options = {};
  options.opening_angle = 3;
  CHECK_THAT(refusal(box, options), Contains("an opening angle of 3"));
  options = {};
  options.leaf_size = 1;
  CHECK_THAT(refusal(box, options), Contains("leaves of 1"));
  float none = 0;
  CHECK_THROWS_AS(make_cpu_tree_potential()->sum({}, &none), Error);
}

TEST_CASE("direct sums of executors are those of all pairs", "[gravity][few][gpu]") {
  std::mt19937_64 random(208);
  const Bodies b = some_bodies(Kind::Clustered, 10000, true, random);
  const auto rows = every(997, b.size());
  std::vector<DirectTarget> targets;
  for (const std::size_t i : rows)
    targets.push_back({b.p[0][i], b.p[1][i], b.p[2][i], std::uint32_t(i)});
  for (const Images images : {Images::None, Images::Ewald}) {
    const TreePotentialOptions options = options_of(images, 0.05);
    const auto exact = slow(b, options, rows);
    for (const Device device : test::devices()) {
      INFO(device << ", images " << int(images));
      const auto found = direct_potentials(*test::placed(device, b.domain, b.p).front(),
                                           b.mass.data(), options, targets);
      for (std::size_t k = 0; k < rows.size(); ++k)
        CHECK(std::abs(found[k] - exact[k]) <=
              1e-10 * std::abs(exact[k]) + (images == Images::Ewald ? 1e-5 : 0) * total(b) / 50);
    }
  }
}
