#include "render/scene/shrinking_sphere.h"

#include "tests/catch.h"
#include "tests/made/made_particles.h"
#include "tests/made/zoom_files.h"

// What the first picture of a zoom simulation shows.

using namespace haloscope;

namespace {

// A clump of a quarter of the points in a wide sphere around it, `shift` off the sphere's middle.
std::vector<std::array<double, 3>> clumped(const std::array<double, 3>& center, double shift) {
  zoom_files::Numbers numbers(3);
  std::vector<std::array<double, 3>> points;
  for (int i = 0; i < 4000; ++i) {
    const bool dense = i % 4 == 0;
    auto p = numbers.in_shell(0, dense ? 0.2 : 5);
    if (dense) p[0] += shift;
    for (std::size_t c = 0; c < 3; ++c) p[c] += center[c];
    points.push_back(p);
  }
  return points;
}

struct Seen {
  std::array<double, 3> middle;
  double half_side;
};

Seen seen(const Domain& domain, const std::vector<std::array<double, 3>>& points) {
  const ParticleColumns columns = test::made_columns(1, "dm", domain, points);
  const auto bounds = render::shrinking_sphere(domain, {&columns});
  REQUIRE(bounds);
  Seen result{};
  result.half_side = 0.5 * (bounds->high[0] - bounds->low[0]);
  for (std::size_t c = 0; c < 3; ++c) {
    result.middle[c] = 0.5 * (bounds->low[c] + bounds->high[c]);
    CHECK(bounds->high[c] - bounds->low[c] == Approx(2 * result.half_side));
  }
  return result;
}

double apart(const std::array<double, 3>& a, const std::array<double, 3>& b, double box) {
  double sum = 0;
  for (std::size_t c = 0; c < 3; ++c) sum += std::pow(std::remainder(a[c] - b[c], box), 2);
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("a shrinking sphere ends in the densest clump, wherever it is", "[zoom]") {
  const Domain domain = test::periodic_domain(100);
  for (const std::array<double, 3> center : {std::array{50., 50., 50.}, {0., 99.5, 0.2}}) {
    for (const double shift : {0., 2.}) {
      const Seen found = seen(domain, clumped(center, shift));
      auto clump = center;
      clump[0] += shift;
      CHECK(apart(found.middle, clump, 100) < 0.1);
      CHECK(found.half_side > 3.5);
      CHECK(found.half_side < 5 + shift);
    }
  }
  const Domain open = test::open_domain(0, 100);
  CHECK(apart(seen(open, clumped({10, 20, 90}, 1)).middle, {11, 20, 90}, 1e9) < 0.1);
}

TEST_CASE("stray particles do not widen what a shrinking sphere shows", "[zoom]") {
  const Domain domain = test::periodic_domain(100);
  auto points = clumped({30, 30, 30}, 0);
  for (int i = 0; i < 100; ++i) points.push_back({double(i), 70, double(i * 37 % 100)});
  const Seen found = seen(domain, points);
  CHECK(apart(found.middle, {30, 30, 30}, 100) < 0.1);
  CHECK(found.half_side < 5);
}

TEST_CASE("a shrinking sphere takes few particles, and none", "[zoom]") {
  const Domain domain = test::periodic_domain(10);
  const Seen one = seen(domain, {{9.9, 5, 0.1}});
  CHECK(apart(one.middle, {9.9, 5, 0.1}, 10) < 1e-6);
  CHECK(one.half_side == 0);
  const Seen two = seen(domain, {{9.9, 5, 5}, {0.1, 5, 5}});
  CHECK(apart(two.middle, {0, 5, 5}, 10) < 0.2);
  const ParticleColumns none;
  CHECK_FALSE(render::shrinking_sphere(domain, {&none}));
  CHECK_FALSE(render::shrinking_sphere(domain, {}));
}
