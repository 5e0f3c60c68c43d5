// Nearest rows of tables of every kind, against a sort of all distances.

#include "compute/brute_force/nearest_rows.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/rows.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::brute_force;
using haloscope::test::MadeRows;

namespace {

void check(const MadeRows& rows, std::uint32_t k) {
  CAPTURE(rows.name, rows.dimensions, rows.count(), k);
  NeighborLists expected{k, {}, {}};
  for (std::uint32_t a = 0; a < rows.count(); ++a) {
    std::vector<std::pair<float, std::uint32_t>> all;
    for (std::uint32_t b = 0; b < rows.count(); ++b)
      if (b != a) all.emplace_back(test::distance_of_rows(rows, a, b), b);
    std::partial_sort(all.begin(), all.begin() + k, all.end());
    for (std::uint32_t i = 0; i < k; ++i) {
      expected.distance.push_back(all[i].first);
      expected.row.push_back(all[i].second);
    }
  }
  for (const auto& device : test::devices()) {
    CAPTURE(device);
    Progress progress;
    const NeighborLists found = find_nearest_rows(device, rows.view(), k, progress);
    CHECK(found.k == k);
    CHECK((found.distance == expected.distance));
    CHECK((found.row == expected.row));
  }
}

}  // namespace

TEST_CASE("nearest rows are those of a sort of all distances", "[brute_force][gpu][few]") {
  const auto count = test::sized(700u, 150u);
  for (const std::uint32_t dimensions : {1u, 2u, 3u, 8u, 17u, 130u})
    for (const std::uint32_t k : {1u, 5u, 40u}) {
      check(test::uniform_rows(count, dimensions, dimensions + k), k);
      check(test::clumped_rows(count, dimensions, 5, dimensions + k), k);
      // Distances tie.
      check(test::grid_rows(count, dimensions, 3, dimensions + k), k);
    }
  check(test::uniform_rows(130, 1024, 1), 16);
  check(test::uniform_rows(60, 5, 1), 59);
  check(test::uniform_rows(2, 5, 1), 1);
  check(test::clumped_rows(2000, 4, 7, 2), test::sized(512u, 200u));
}

// Where what tells near from far in fewer bits says nothing, all is measured.
TEST_CASE("nearest rows are right where numbers are hard to tell apart",
          "[brute_force][gpu][few]") {
  const auto count = test::sized(900u, 150u);
  const MadeRows some = test::clumped_rows(count, 6, 5, 3);
  check(test::changed(some, 1, 1e6f), 12);
  check(test::changed(some, 1e-6f, 1), 12);
  check(test::changed(some, 1e-30f, 0), 12);
  check(test::changed(some, 1e-42f, 0), 12);
  check(test::changed(some, 4e35f, 0), 12);
  check(test::grid_rows(count, 6, 1, 4), 12);
  // All but one at one place, and that far away.
  MadeRows far = test::changed(some, 1e-3f, 0);
  far.values[7] = 1e30f;
  check(far, 12);
  // Columns that differ a billionfold: the small ones decide.
  MadeRows mixed = test::grid_rows(count, 6, 2, 5);
  for (std::size_t i = 0; i < mixed.values.size(); ++i) {
    if (i % 6 == 0) mixed.values[i] *= 1e9f;
    if (i % 6 == 1) mixed.values[i] = some.values[i];
  }
  check(mixed, 12);
}

TEST_CASE("what has no nearest rows is refused", "[brute_force][gpu]") {
  for (const auto& device : test::devices()) {
    const MadeRows rows = test::uniform_rows(20, 3, 1);
    Progress progress;
    const auto find = [&](const Rows& some, std::uint32_t k) {
      return find_nearest_rows(device, some, k, progress);
    };
    CHECK_THROWS_AS(find(rows.view(), 0), Error);
    CHECK_THROWS_AS(find(rows.view(), 20), Error);
    CHECK_THROWS_AS(find({rows.values.data(), 1, 60}, 1), Error);
    CHECK_THROWS_AS(find({rows.values.data(), 60, 0}, 1), Error);
    CHECK_THROWS_AS(find({rows.values.data(), 2, 1025}, 1), Error);
    progress.cancel();
    CHECK_THROWS_AS(find(rows.view(), 2), Cancelled);
  }
}
