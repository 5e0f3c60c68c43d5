// Members of halos gathered from labels, against a map of lists.

#include "compute/halos/membership.h"

#include "compute/clusters/clustering.h"
#include "compute/halos/halo_finder.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/placed_points.h"
#include "tests/renderers.h"

#include <algorithm>
#include <map>
#include <random>

using namespace haloscope::compute::clusters;
using namespace haloscope::compute::halos;
using haloscope::compute::Device;

TEST_CASE("halos are gathered by decreasing size, their rows in order", "[halos]") {
  std::mt19937 random(3);
  for (const std::uint32_t label_count : {1U, 40U, 3000U}) {
    std::vector<std::vector<std::uint32_t>> labels(3);
    for (const std::size_t kind : {0, 2}) {
      labels[kind].resize(20000);
      // Small labels are the commonest.
      for (auto& label : labels[kind])
        label = random() % 3 == 0 ? kNoise : std::uint32_t(random() % (random() % label_count + 1));
    }
    for (const std::uint64_t least : {1U, 2U, 20U, 1000U, 100000U}) {
      std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> expected;
      for (std::size_t kind = 0; kind < 3; ++kind)
        for (std::size_t i = 0; i < labels[kind].size(); ++i)
          if (labels[kind][i] != kNoise) {
            auto& rows = expected[labels[kind][i]];
            rows.resize(3);
            rows[kind].push_back(std::uint32_t(i));
          }
      const auto size = [](const auto& rows) {
        return rows[0].size() + rows[1].size() + rows[2].size();
      };
      std::erase_if(expected, [&](const auto& one) { return size(one.second) < least; });
      std::vector<std::vector<std::vector<std::uint32_t>>> halos;
      for (const auto& [label, rows] : expected) halos.push_back(rows);
      std::stable_sort(halos.begin(), halos.end(),
                       [&](const auto& a, const auto& b) { return size(a) > size(b); });

      const HaloMembership found =
          gather_members({labels[0], labels[1], labels[2]}, label_count, least);
      REQUIRE(found.halos(3) == halos.size());
      bool same = true;
      for (std::size_t h = 0; h < halos.size(); ++h)
        for (std::size_t kind = 0; kind < 3; ++kind) {
          const auto run = found.run(h, kind, 3);
          same = same &&
                 std::equal(halos[h][kind].begin(), halos[h][kind].end(), run.begin(), run.end());
        }
      CHECK(same);
    }
  }
}

TEST_CASE("a kind without labels has no members in any halo", "[halos]") {
  const std::vector<std::uint32_t> first{5, 5, kNoise, 5}, third{5};
  const HaloMembership found = gather_members({first, {}, third}, 6, 2);
  REQUIRE(found.halos(3) == 1);
  CHECK(found.members(0, 3) == 4);
  CHECK(found.run(0, 0, 3).size() == 3);
  CHECK(found.run(0, 1, 3).empty());
  CHECK(found.run(0, 2, 3).size() == 1);
}

TEST_CASE("more particles of a kind than rows can be noted for are refused", "[halos]") {
  CHECK_NOTHROW(require_countable((std::uint64_t(1) << 32) - 2, "gas"));
  CHECK_THROWS_WITH(require_countable((std::uint64_t(1) << 32) - 1, "gas"),
                    Catch::Matchers::Contains("4294967295 particles of gas") &&
                        Catch::Matchers::Contains("haloscope convert --region"));
  // Before anything is read of them.
  FinderInput input;
  input.kinds.resize(2);
  input.kinds[1].part = FinderInput::Kind::Part::Attached;
  input.kinds[1].count = std::uint64_t(1) << 32;
  FinderTools tools = finder_tools(Device::cpu());
  haloscope::Timings timings;
  CHECK_THROWS_AS(find_halos(tools, input, {}, timings), haloscope::Error);
}

TEST_CASE("particles that are on the device are linked and attached to where they lie",
          "[halos][few][gpu]") {
  std::mt19937_64 random(41);
  const haloscope::Domain domain{{0, 0, 0}, 1, true};
  const test::Points linked = test::make_points(test::Kind::Clustered, 900, random),
                     more = test::make_points(test::Kind::Clustered, 100, random),
                     gas = test::make_points(test::Kind::Clustered, 300, random),
                     nowhere = test::make_points(test::Kind::Uniform, 900, random);
  const auto pointers = [](const test::Points& p) {
    return std::array<const std::uint32_t*, 3>{p[0].data(), p[1].data(), p[2].data()};
  };
  for (const Device device : test::devices()) {
    FinderInput input;
    input.domain = domain;
    input.kinds.resize(3);
    const test::Points* const points[] = {&linked, &gas, &more};
    for (std::size_t k = 0; k < 3; ++k) {
      if (k == 1) input.kinds[k].part = FinderInput::Kind::Part::Attached;
      input.kinds[k].count = (*points[k])[0].size();
      input.kinds[k].position = pointers(*points[k]);
    }
    FinderSettings settings;
    settings.clusters.linking_length = 0.004;
    settings.min_members = 3;
    FinderTools tools = finder_tools(device);
    haloscope::Timings timings;
    const HaloMembership expected = find_halos(tools, input, settings, timings);
    REQUIRE(expected.halos(3) > 5);
    // The host's positions of what is linked are others: nobody may look at them.
    for (const std::size_t k : {0, 2}) {
      input.kinds[k].points = test::placed(device, domain, *points[k]).front();
      input.kinds[k].position = pointers(nowhere);
    }
    const HaloMembership found = find_halos(tools, input, settings, timings);
    REQUIRE(found.halos(3) == expected.halos(3));
    bool same = true;
    for (std::size_t h = 0; h < found.halos(3); ++h)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto a = found.run(h, k, 3), b = expected.run(h, k, 3);
        same = same && std::equal(a.begin(), a.end(), b.begin(), b.end());
      }
    INFO(device);
    CHECK(same);
  }
}
