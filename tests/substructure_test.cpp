// Clusters within halos: a second search that never leads out of a halo.

#include "compute/halos/substructure.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/renderers.h"

#include <algorithm>
#include <random>
#include <set>

using namespace haloscope;
using namespace haloscope::compute::halos;

namespace {

struct Points {
  std::array<std::vector<std::uint32_t>, 3> at;
  void add(double x, double y, double z) {
    for (const double v : {x, y, z})
      at[std::size_t(next++ % 3)].push_back(std::uint32_t(v * 4294967296.0));
  }
  int next = 0;
  std::array<const std::uint32_t*, 3> data() const {
    return {at[0].data(), at[1].data(), at[2].data()};
  }
};

// Two bridges of points at spacing 0.005, along x, at y = 0.2 and 0.7. Dense clumps of spacing
// 0.0005: 40, 25 and 10 points on the first, 30 on the second.
Points make_points() {
  Points p;
  const auto line = [&](double x, double y, double step, int count) {
    for (int i = 0; i < count; ++i) p.add(x + step * i, y, 0.5);
  };
  line(0.1, 0.2, 0.005, 60);
  line(0.15, 0.2003, 0.0005, 25);
  line(0.2, 0.2003, 0.0005, 40);
  line(0.3, 0.2003, 0.0005, 10);
  line(0.1, 0.7, 0.005, 40);
  line(0.2, 0.7003, 0.0005, 30);
  return p;
}

}  // namespace

TEST_CASE("substructure lies within its halo, in order", "[halos]") {
  const Points points = make_points();
  FinderInput input;
  FinderInput::Kind kind;
  kind.count = points.at[0].size();
  kind.position = points.data();
  input.kinds.push_back(kind);
  FinderSettings halo_settings;
  halo_settings.clusters.linking_length = 0.006;
  halo_settings.min_members = 20;
  SubstructureSettings settings;
  settings.finder.clusters.linking_length = 0.0006;
  settings.finder.min_members = 20;
  for (const auto& device : ::test::devices()) {
    FinderTools tools = device == "cuda" ? cuda_finder_tools() : cpu_finder_tools();
    Timings timings;
    const HaloMembership halos = find_halos(tools, input, halo_settings, timings);
    REQUIRE(halos.halos(1) == 2);
    const auto found = find_substructure(tools, input, halos, halo_settings, settings, timings);
    // Points of the bridge that lie within 0.0006 of a clump belong to it.
    REQUIRE(found.members.halos(1) == 3);
    CHECK(found.parent == std::vector<std::uint32_t>{0, 0, 1});
    CHECK(found.members.members(0, 1) >= 40);
    CHECK(found.members.members(1, 1) >= 25);
    CHECK(found.members.members(1, 1) < 40);
    CHECK(found.members.members(2, 1) >= 30);
    for (std::uint64_t s = 0; s < 3; ++s) {
      const auto halo = halos.run(found.parent[s], 0, 1);
      const std::set<std::uint32_t> of_halo(halo.begin(), halo.end());
      for (const std::uint32_t row : found.members.run(s, 0, 1)) CHECK(of_halo.count(row) == 1);
    }
    settings.halos = 1;
    CHECK(
        find_substructure(tools, input, halos, halo_settings, settings, timings).members.halos(1) ==
        2);
    settings.halos = 100;
    CHECK(
        find_substructure(tools, input, halos, halo_settings, settings, timings).members.halos(1) ==
        3);
    SubstructureSettings longer = settings;
    longer.finder.clusters.linking_length = 0.01;
    CHECK_THROWS_AS(find_substructure(tools, input, halos, halo_settings, longer, timings), Error);
  }
}
