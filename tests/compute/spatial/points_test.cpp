// Points that stay on a device: where each of them came from, and in which order they lie.

#include "compute/spatial/points.inl"

#include "compute/exec/cpu.h"
#include "compute/spatial/morton.h"
#include "tests/catch.h"
#include "tests/made/placed_points.h"
#include "tests/renderers.h"

#include <bit>
#include <numeric>
#include <thread>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::spatial;
using haloscope::compute::Device;
using test::Kind;
using test::Points;

namespace {

constexpr Domain kDomain{{0, 0, 0}, 1, true};

Points copied(const PointSet& set) {
  Points p;
  for (auto& axis : p) axis.assign(std::size_t(set.count()), 77);
  set.copy({p[0].data(), p[1].data(), p[2].data()});
  return p;
}

}  // namespace

TEST_CASE("points that were placed come back in the order of their rows", "[neighbors][few][gpu]") {
  std::mt19937_64 random(31);
  for (const Device device : test::devices())
    for (int kind = 0; kind < test::kKinds; ++kind)
      for (const std::size_t n : {0u, 1u, 2u, 1000u}) {
        INFO(device << ", kind " << kind << ", " << n << " points");
        const Points p = test::make_points(Kind(kind), n, random);
        const auto set = test::placed(device, kDomain, p).front();
        CHECK(set->device() == device);
        CHECK(set->domain() == kDomain);
        CHECK(set->count() == n);
        CHECK(copied(*set) == p);
      }
}

TEST_CASE("placed points lie in Morton order, of one code in the order of their rows",
          "[neighbors]") {
  std::mt19937_64 random(32);
  for (int kind = 0; kind < test::kKinds; ++kind) {
    const Points p = test::make_points(Kind(kind), 1000, random);
    const auto set = test::placed(Device::cpu(), kDomain, p).front();
    const HeldPoints held = set->hold();
    const PointsView& view = held.view;
    REQUIRE(view.count == 1000);
    CHECK(view.in_morton_order);
    std::vector<int> seen(1000, 0);
    bool same = true, ordered = true;
    for (std::size_t i = 0; i < 1000; ++i) {
      const FixedPoint at = view.at(i);
      const std::size_t row = view.row(i);
      REQUIRE(row < 1000);
      ++seen[row];
      same = same && at.x == p[0][row] && at.y == p[1][row] && at.z == p[2][row];
      if (i == 0) continue;
      const FixedPoint before = view.at(i - 1);
      const auto code = morton_code(at.x, at.y, at.z),
                 code_before = morton_code(before.x, before.y, before.z);
      ordered = ordered && (code_before < code || (code_before == code && view.row(i - 1) < row));
    }
    INFO("kind " << kind);
    CHECK(same);
    CHECK(ordered);
    CHECK(seen == std::vector<int>(1000, 1));
  }
}

TEST_CASE("several threads read one set of points", "[neighbors][few][gpu]") {
  std::mt19937_64 random(33);
  for (const Device device : test::devices()) {
    const Points p = test::make_points(Kind::Clustered, 20000, random);
    const auto set = test::placed(device, kDomain, p).front();
    std::vector<Points> found(4);
    std::vector<std::thread> threads;
    for (auto& one : found) threads.emplace_back([&one, set] { one = copied(*set); });
    for (auto& thread : threads) thread.join();
    for (const auto& one : found) CHECK(one == p);
  }
}

TEST_CASE("points that are placed in less memory lie as others", "[neighbors][few]") {
  std::mt19937_64 random(35);
  for (int kind = 0; kind < test::kKinds; ++kind)
    for (const std::size_t n : {0u, 1u, 5000u}) {
      INFO("kind " << kind << ", " << n << " points");
      const Points p = test::make_points(Kind(kind), n, random);
      const auto placed = [&](std::uint64_t frugal_from) {
        return PointsOn<compute::Cpu>(std::make_shared<compute::Cpu>(), Device::cpu(), kDomain,
                                      {p[0].data(), p[1].data(), p[2].data()}, n, frugal_from);
      };
      const auto usual = placed(~0ull), frugal = placed(0);
      CHECK(copied(frugal) == p);
      bool same = true;
      const HeldPoints a = usual.hold(), b = frugal.hold();
      for (std::size_t i = 0; i < n; ++i) same = same && a.view.row(i) == b.view.row(i);
      CHECK(same);
    }
}

TEST_CASE("values come into the order of rows that are set aside as of others", "[neighbors]") {
  std::mt19937_64 random(36);
  for (const std::size_t n : {0u, 1u, 7u, 8u, 5000u}) {
    INFO(n << " points");
    const Points p = test::make_points(Kind::Clustered, n, random);
    compute::Cpu cpu;
    PointsOn<compute::Cpu> points(std::make_shared<compute::Cpu>(), Device::cpu(), kDomain,
                                  {p[0].data(), p[1].data(), p[2].data()}, n);
    // Their bits are numbers of rows, too.
    std::vector<float> values;
    for (std::size_t row = 0; row < n; ++row)
      values.push_back(std::bit_cast<float>(std::uint32_t((row * 7 + 3) % n)));
    const auto usual = points.in_order(cpu, values.data(), "values");
    points.set_rows_aside();
    const auto aside = points.in_order(cpu, values.data(), "values");
    REQUIRE(aside.size() == n);
    const HeldPoints held = points.hold();
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(values[held.view.row(i)]);
      same = same && std::bit_cast<std::uint32_t>(usual.data()[i]) == bits &&
             std::bit_cast<std::uint32_t>(aside.data()[i]) == bits;
    }
    CHECK(same);
  }
}
