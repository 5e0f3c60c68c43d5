// Points of a set in a box of the lattice, beside a look at each of them.

#include "compute/spatial/points_in_box.h"

#include "compute/exec/cpu.h"
#include "compute/spatial/points.inl"
#include "tests/catch.h"
#include "tests/made/placed_points.h"
#include "tests/renderers.h"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::spatial;
using haloscope::compute::Cpu;
using haloscope::compute::Device;
using test::Kind;
using test::Points;

namespace {

constexpr Domain kDomain{{0, 0, 0}, 1, true};

std::vector<LatticeBox> boxes(std::mt19937_64& random) {
  const auto word = [&] { return std::uint32_t(random()); };
  std::vector<LatticeBox> all{{{0, 0, 0}, {~0u, ~0u, ~0u}},
                              {{12345, 12345, 12345}, {0, 0, 0}},
                              // Across the corner of the box.
                              {{~0u - 50000000, ~0u - 3, ~0u}, {100000000, 1u << 30, 1u << 20}},
                              {{0, 0, 0}, {1u << 28, 1u << 28, 1u << 28}},
                              // All of two axes.
                              {{1u << 31, 7, 9}, {1u << 29, ~0u, ~0u}}};
  for (int k = 0; k < 20; ++k) {
    const int narrow = k % 5;
    all.push_back(
        {{word(), word(), word()}, {word() >> narrow, word() >> 2 * narrow, word() >> narrow}});
  }
  return all;
}

void check_like_looking(const PointSet& set, const Points& p, const LatticeBox& box) {
  const RowsInBox found = points_in_box(set, box);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < p[0].size(); ++i)
    if (box.contains(p[0][i], p[1][i], p[2][i])) rows.push_back(std::uint32_t(i));
  REQUIRE(std::vector<std::uint32_t>(found.rows.begin(), found.rows.end()) == rows);
  bool same = true;
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t a = 0; a < 3; ++a) same = same && found.position[a][k] == p[a][rows[k]];
  CHECK(same);
}

}  // namespace

TEST_CASE("points in a box are those that a look at each finds", "[neighbors][few][gpu]") {
  std::mt19937_64 random(61);
  for (const Device device : test::devices())
    for (int kind = 0; kind < test::kKinds; ++kind)
      for (const std::size_t n : {0u, 1u, 255u, 257u, 20000u}) {
        INFO(device << ", kind " << kind << ", " << n << " points");
        const Points p = test::make_points(Kind(kind), n, random);
        const auto set = test::placed(device, kDomain, p).front();
        for (const LatticeBox& box : boxes(random)) check_like_looking(*set, p, box);
      }
}

TEST_CASE("packed points in a box are those that a look at each finds", "[packed]") {
  std::mt19937_64 random(62);
  for (int kind = 0; kind < test::kKinds; ++kind) {
    INFO("kind " << kind);
    const std::size_t n = 5000;
    const Points p = test::make_points(Kind(kind), n, random);
    PointsOn<Cpu> set(std::make_shared<Cpu>(), Device::cpu(), kDomain,
                      {p[0].data(), p[1].data(), p[2].data()}, n);
    Cpu cpu;
    haloscope::compute::Buffer<float, Cpu> radius(cpu, n, "radii");
    std::fill(radius.begin(), radius.end(), 0.5f);
    set.pack(radius);
    for (const LatticeBox& box : boxes(random)) check_like_looking(set, p, box);
  }
}

TEST_CASE("a box of the lattice holds all that lies between its faces", "[neighbors]") {
  const Domain domain{{-3, 0, 5}, 10, true};
  std::mt19937_64 random(63);
  std::uniform_real_distribution<double> even(0, 1);
  for (int k = 0; k < 2000; ++k) {
    std::array<double, 3> low, high;
    std::uint32_t inside[3], outside[3];
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = domain.origin[a] + 30 * even(random) - 10;
      const double width = 9.9 * even(random);
      high[a] = low[a] + width;
      inside[a] = domain.to_fixed(low[a] + even(random) * width, int(a));
      outside[a] = domain.to_fixed(high[a] + 1e-7 + even(random) * (9.9999998 - width), int(a));
    }
    const LatticeBox box = lattice_box(domain, low, high);
    CHECK(box.contains(inside[0], inside[1], inside[2]));
    CHECK_FALSE(box.contains(outside[0], inside[1], inside[2]));
    CHECK_FALSE(box.contains(inside[0], outside[1], inside[2]));
    CHECK_FALSE(box.contains(inside[0], inside[1], outside[2]));
  }
  // As wide as the domain, and around it.
  CHECK(lattice_box(domain, {0, 0, 0}, {10, 10, 10}).beyond[0] == ~0u);
  const LatticeBox around = lattice_box(domain, {6, 9, 14}, {-2, 1, 6});
  CHECK(
      around.contains(domain.to_fixed(-2.5, 0), domain.to_fixed(0.5, 1), domain.to_fixed(5.5, 2)));
  CHECK_FALSE(
      around.contains(domain.to_fixed(0, 0), domain.to_fixed(0.5, 1), domain.to_fixed(5.5, 2)));
}
