// Points packed with their radii: places come back bit for bit, radii as they were or nearly.

#include "compute/spatial/pack_points.inl"

#include "compute/exec/cpu.h"
#include "compute/spatial/points.inl"
#include "compute/splotch/splat.h"
#include "tests/catch.h"
#include "tests/made/fixed_points.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::spatial;
using haloscope::compute::Cpu;
using haloscope::compute::Device;
using haloscope::compute::splotch::Columns;
using test::Kind;
using test::Points;

namespace {

struct Packed {
  Points words;
  std::vector<PointBlock> blocks;
  std::vector<float> loose;

  Columns columns() const {
    Columns c;
    c.count = words[0].size();
    c.position = {words[0].data(), words[1].data(), words[2].data(), blocks.data()};
    c.radius = loose.data();
    return c;
  }
  std::size_t loose_blocks() const {
    std::size_t n = 0;
    for (const PointBlock& block : blocks) n += block.is_loose();
    return n;
  }
};

Packed packed(const Points& points, const std::vector<float>& radius) {
  Cpu cpu;
  Packed p{points, {}, {}};
  std::uint32_t* const axes[3] = {p.words[0].data(), p.words[1].data(), p.words[2].data()};
  const auto made = pack_points(cpu, axes, radius.data(), radius.size());
  p.blocks.assign(made.blocks.data(), made.blocks.data() + made.blocks.size());
  p.loose.assign(made.loose.data(), made.loose.data() + made.loose.size());
  return p;
}

// In a cube of so many steps of the lattice, somewhere.
Points in_cube(Points p, std::uint32_t side, std::uint32_t corner) {
  for (auto& axis : p)
    for (auto& x : axis) x = corner + std::uint32_t(std::uint64_t(x) * side >> 32);
  return p;
}

std::vector<float> log_normal(std::size_t n, float octaves, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> r(n);
  for (float& x : r) x = 3e-4f * std::exp2(octaves * normal(random));
  return r;
}

bool same_places(const Packed& packed, const Points& points) {
  const Positions position = packed.columns().position;
  for (std::size_t i = 0; i < points[0].size(); ++i) {
    const FixedPoint at = position.at(i);
    if (at.x != points[0][i] || at.y != points[1][i] || at.z != points[2][i]) return false;
  }
  return true;
}

bool same_bits(const Packed& packed, const std::vector<float>& radius) {
  for (std::size_t i = 0; i < radius.size(); ++i) {
    const float r = packed.columns().radius_of(i);
    if (std::memcmp(&r, &radius[i], sizeof(r)) != 0) return false;
  }
  return true;
}

double worst_radius(const Packed& packed, const std::vector<float>& radius) {
  double worst = 0;
  for (std::size_t i = 0; i < radius.size(); ++i)
    worst =
        std::max(worst, std::abs(double(packed.columns().radius_of(i)) / double(radius[i]) - 1));
  return worst;
}

}  // namespace

TEST_CASE("packed points come back bit for bit, and their radii nearly", "[packed]") {
  std::mt19937_64 random(51);
  std::size_t loose = 0, blocks = 0;
  for (int kind = 0; kind < test::kKinds; ++kind)
    for (const std::size_t n : {1u, 2u, 255u, 256u, 257u, 3000u})
      for (const std::uint32_t side : {~0u, 1u << 31, 1u << 27, 1u << 26, 1u << 20, 1u}) {
        // The largest coordinates that the lattice has, and others.
        for (const std::uint32_t corner : {0u - side, side == ~0u ? 0u : 123456789u}) {
          INFO("kind " << kind << ", " << n << " points, side " << side << ", corner " << corner);
          const Points p = in_cube(test::make_points(Kind(kind), n, random), side, corner);
          const std::vector<float> radius = log_normal(n, 0.5f, random);
          const Packed made = packed(p, radius);
          CHECK(same_places(made, p));
          CHECK(worst_radius(made, radius) <= std::exp2(-17.));
          loose += made.loose_blocks();
          blocks += made.blocks.size();
        }
      }
  // Of each sort there are some.
  CHECK(loose > blocks / 10);
  CHECK(loose < blocks * 9 / 10);
}

TEST_CASE("blocks are packed up to the widths that leave bits for their radii", "[packed]") {
  constexpr std::uint32_t kLeast = 0x3a800000;  // bits of a radius
  // Radii in a factor of four are 2²⁴ steps of a float.
  const auto block = [](std::uint32_t extent, std::uint32_t range) {
    return pack_block({5, 5, 5}, {5, 5 + extent, 5}, kLeast, kLeast + range);
  };
  CHECK(block(0, 0).spare == kMostSpare);
  CHECK(block((1u << 26) - 1, 1u << 24).spare == 6);
  CHECK(block((1u << 26) - 1, 1u << 24).shift == 7);
  // What is 18 bits after rounding, and what is not.
  CHECK_FALSE(block((1u << 26) - 1, (1u << 25) - 65).is_loose());
  CHECK(block((1u << 26) - 1, (1u << 25) - 64).is_loose());
  CHECK(block(1u << 26, 1u << 24).is_loose());
  CHECK(block(1u << 26, 1u << 21).spare == 5);
  CHECK(block((1u << 31) - 1, 0).spare == 1);
  CHECK(block(1u << 31, 0).is_loose());
  CHECK(block(1u << 20, 1u << 26).shift == 0);  // exact: all have 30 bits
}

TEST_CASE("radii that rounding would hurt stay as they are", "[packed]") {
  std::mt19937_64 random(52);
  constexpr float kInf = std::numeric_limits<float>::infinity(),
                  kNan = std::numeric_limits<float>::quiet_NaN();
  const std::size_t n = 700;
  for (const std::uint32_t side : {1u << 20, 1u << 26, ~0u}) {
    const Points p = in_cube(test::make_points(Kind::Uniform, n, random), side, 77);
    for (const float odd : {0.f, -0.f, kInf, -kInf, kNan, -kNan, -1.f, 1e-42f, 3.4e38f, 1e30f}) {
      INFO("side " << side << ", radius " << odd);
      CHECK(same_bits(packed(p, std::vector<float>(n, odd)), std::vector<float>(n, odd)));
      std::vector<float> radius = log_normal(n, 0.5f, random);
      radius[300] = odd;
      const Packed made = packed(p, radius);
      CHECK(same_places(made, p));
      // That one's block is loose, or has lost nothing.
      const float back = made.columns().radius_of(300);
      CHECK(std::memcmp(&back, &odd, sizeof(odd)) == 0);
      radius[300] = 1;
      double worst = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (i != 300)
          worst = std::max(worst, std::abs(double(made.columns().radius_of(i)) / radius[i] - 1));
      CHECK(worst <= std::exp2(-17.));
    }
    // All of them together.
    std::vector<float> all = log_normal(n, 0.5f, random);
    for (std::size_t i = 0; i < n; i += 7)
      all[i] = std::vector<float>{0, kInf, kNan, -kNan, -2, 1e-42f}[i / 7 % 6];
    const Packed made = packed(p, all);
    CHECK(same_places(made, p));
    CHECK(same_bits(made, all));
  }
}

TEST_CASE("a set of packed points has the places and rows of one that is not", "[packed]") {
  std::mt19937_64 random(53);
  for (int kind = 0; kind < test::kKinds; ++kind)
    for (const std::size_t n : {0u, 1u, 256u, 5000u}) {
      INFO("kind " << kind << ", " << n << " points");
      const Points p = test::make_points(Kind(kind), n, random);
      const auto placed = [&] {
        return PointsOn<Cpu>(std::make_shared<Cpu>(), Device::cpu(), {{0, 0, 0}, 1, true},
                             {p[0].data(), p[1].data(), p[2].data()}, n);
      };
      const auto usual = placed();
      auto set = placed();
      Cpu cpu;
      haloscope::compute::Buffer<float, Cpu> radius(cpu, n, "radii");
      std::fill(radius.begin(), radius.end(), 0.5f);
      set.pack(radius);
      CHECK((set.positions().blocks != nullptr) == (n > 0));
      if (kind % 2 == 0) set.set_rows_aside();
      Points copied;
      for (auto& axis : copied) axis.assign(n, 77);
      set.copy({copied[0].data(), copied[1].data(), copied[2].data()});
      CHECK(copied == p);
      bool same = true;
      const HeldPoints held_usual = usual.hold(), held = set.hold();
      for (std::size_t i = 0; i < n; ++i) {
        const FixedPoint a = held_usual.view.at(i), b = held.view.at(i);
        same = same && a.x == b.x && a.y == b.y && a.z == b.z &&
               held_usual.view.row(i) == held.view.row(i);
      }
      CHECK(same);
    }
}
