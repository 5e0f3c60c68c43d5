// Smoothing lengths that particles are drawn with where their file has none.

#include "render/scene/drawn_radii.h"

#include "compute/exec/ranks.h"
#include "render/scene/prepare_particles.h"
#include "tests/catch.h"
#include "tests/made/made_particles.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

using namespace haloscope;
using namespace haloscope::render;

namespace {

// Gas with lengths of its own, dark matter and stars without; all along a line.
ParticleSet three_types(const Domain& domain) {
  std::vector<std::array<double, 3>> line;
  for (int i = 0; i < 100; ++i) line.push_back({i + 0.5, 50, 50});
  ParticleSet particles;
  particles.domain = domain;
  particles.types.push_back(test::made_columns(0, "gas", domain, line));
  particles.types[0].support_radius = test::array_of(std::vector<float>(100, 3.f));
  particles.types.push_back(test::made_columns(1, "dm", domain, line));
  particles.types.push_back(test::made_columns(4, "stars", domain, line));
  return particles;
}

SnapshotInfo three_names() {
  SnapshotInfo info;
  info.types[0].name = "gas";
  info.types[1].name = "dm";
  info.types[4].name = "stars";
  return info;
}

}  // namespace

TEST_CASE("stars without smoothing lengths get short ones, found or estimated", "[render][scene]") {
  const SnapshotInfo info = three_names();
  const ParticleSet particles = three_types(test::periodic_domain(100));
  const auto renderer = test::make_renderer(compute::Device::cpu());
  Progress progress;
  std::vector<float> dm(100, 7.f), stars(100, 4.f);
  stars[0] = 9;
  SECTION("found") {
    const auto drawn =
        drawn_radii(info, particles, {nullptr, dm.data(), stars.data()}, 1e6, *renderer, progress);
    CHECK(drawn.radii[0] == nullptr);
    CHECK(drawn.radii[1] == dm.data());
    CHECK(drawn.radii[2] == drawn.capped[2].data());
    // The median, so that the lone one is no disk.
    CHECK(drawn.capped[2] == std::vector<float>(100, 4.f));
    CHECK(drawn.estimated == std::vector<std::uint64_t>{0, 0, 0});
    const auto shorter =
        drawn_radii(info, particles, {nullptr, dm.data(), stars.data()}, 100, *renderer, progress);
    CHECK(shorter.capped[2] == std::vector<float>(100, 0.2f));
  }
  SECTION("estimated") {
    const auto drawn =
        drawn_radii(info, particles, {nullptr, nullptr, nullptr}, 100, *renderer, progress);
    CHECK(drawn.radii[0] == nullptr);
    CHECK(drawn.radii[1] == nullptr);
    REQUIRE(drawn.capped[2].size() == 100);
    CHECK(*std::max_element(drawn.capped[2].begin(), drawn.capped[2].end()) == 0.2f);
    CHECK(drawn.estimated == std::vector<std::uint64_t>{0, 0, 100});
  }
}

TEST_CASE("dark matter of low resolution is not compact", "[render][scene]") {
  const Domain domain = test::periodic_domain(100);
  SnapshotInfo info;
  info.types[2].name = "low-res dm 2";
  info.types[2].low_resolution = true;
  ParticleSet particles;
  particles.domain = domain;
  particles.types.push_back(test::made_columns(2, "low-res dm 2", domain, {{1, 1, 1}, {2, 2, 2}}));
  const auto renderer = test::make_renderer(compute::Device::cpu());
  Progress progress;
  CHECK(drawn_radii(info, particles, {nullptr}, 100, *renderer, progress).capped[0].empty());
  info.types[2].low_resolution = false;
  CHECK(drawn_radii(info, particles, {nullptr}, 100, *renderer, progress).capped[0].size() == 2);
}

TEST_CASE("lengths over ranks are capped by the median of all of them", "[render][scene][ranks]") {
  // Sorted, so that no rank's own median is that of all; some are unknown.
  std::vector<float> all(7, 0.f);
  for (int i = 0; i < 101; ++i) all.push_back(1 + 0.5f * float(i));
  for (const double longest : {0., 20., 1000.}) {
    std::vector<float> expected = all;
    cap_compact(expected, longest);
    CHECK(expected.back() == (longest == 20 ? 20.f : 26.f));
    // Where each rank's part ends; one has none.
    for (const std::vector<std::size_t>& ends :
         {std::vector<std::size_t>{30, 108}, {5, 108}, {0, 60, 108}, {50, 50, 51, 108}}) {
      std::vector<float> capped = all;
      compute::run_thread_ranks(int(ends.size()), [&](compute::Ranks& ranks) {
        const auto rank = std::size_t(ranks.rank());
        const std::size_t begin = rank == 0 ? 0 : ends[rank - 1];
        cap_compact(std::span(capped).subspan(begin, ends[rank] - begin), longest, ranks);
      });
      CHECK(capped == expected);
    }
  }
}
