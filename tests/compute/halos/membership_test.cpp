// Members of halos gathered from labels, against a map of lists.

#include "compute/halos/membership.h"

#include "compute/clusters/clustering.h"
#include "compute/halos/halo_finder.h"
#include "core/error.h"
#include "tests/catch.h"

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

      const HaloMembership found = gather_members(labels, label_count, least);
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
  const HaloMembership found = gather_members({{5, 5, kNoise, 5}, {}, {5}}, 6, 2);
  REQUIRE(found.halos(3) == 1);
  CHECK(found.members(0, 3) == 4);
  CHECK(found.run(0, 0, 3).size() == 3);
  CHECK(found.run(0, 1, 3).empty());
  CHECK(found.run(0, 2, 3).size() == 1);
}

TEST_CASE("more particles of a kind than rows can be noted for are refused", "[halos]") {
  CHECK_NOTHROW(require_countable((std::uint64_t(1) << 32) - 2, "gas"));
  CHECK_THROWS_WITH(require_countable((std::uint64_t(1) << 32) - 1, "gas"),
                    Catch::Matchers::Contains("4294967295 particles of gas"));
  // Before anything is read of them.
  FinderInput input;
  input.kinds.resize(2);
  input.kinds[1].part = FinderInput::Kind::Part::Attached;
  input.kinds[1].count = std::uint64_t(1) << 32;
  FinderTools tools = finder_tools(Device::cpu());
  haloscope::Timings timings;
  CHECK_THROWS_AS(find_halos(tools, input, {}, timings), haloscope::Error);
}
