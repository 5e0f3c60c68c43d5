#include "render/film/particle_match.h"

#include "tests/catch.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

// Particles of two snapshots found again by ID, against maps.

using namespace haloscope::render;
using haloscope::Array;
using Ids = std::vector<std::uint64_t>;

namespace {

std::vector<TypeMatch> match(const std::vector<Ids>& first, const std::vector<Ids>& second) {
  std::vector<Array<IdRow>> a, b;
  for (const Ids& ids : first) a.push_back(sort_ids(ids));
  for (const Ids& ids : second) b.push_back(sort_ids(ids));
  return match_particles(a, b);
}

// `count` of the IDs from 0 to 2 · count, above 2^53, in no order.
Ids shuffled_ids(std::size_t count, unsigned seed) {
  Ids ids;
  for (std::uint64_t i = 0; i < 2 * count; ++i) ids.push_back((std::uint64_t(1) << 60) + i);
  std::shuffle(ids.begin(), ids.end(), std::mt19937(seed));
  ids.resize(count);
  return ids;
}

}  // namespace

TEST_CASE("particles are found again wherever they lie in the file", "[render][series]") {
  const Ids a = shuffled_ids(1000, 1), b = shuffled_ids(1200, 2);
  const auto found = match({a}, {b}).front();
  std::map<std::uint64_t, std::uint64_t> row_in_b;
  for (std::size_t i = 0; i < b.size(); ++i) row_in_b[b[i]] = i;
  std::size_t pair = 0, alone = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (row_in_b.count(a[i])) {
      REQUIRE(pair < found.both.size());
      CHECK(found.both[pair].first == i);
      CHECK(found.both[pair].second == row_in_b.at(a[i]));
      ++pair;
    } else {
      REQUIRE(alone < found.first_only.size());
      CHECK(found.first_only[alone].row == i);
      CHECK(found.first_only[alone].other_type == -1);
      ++alone;
    }
  }
  CHECK(pair == found.both.size());
  CHECK(alone == found.first_only.size());
  const std::set<std::uint64_t> in_a(a.begin(), a.end());
  std::vector<std::uint64_t> new_rows, expected;
  for (const Unpaired& one : found.second_only) new_rows.push_back(one.row);
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!in_a.count(b[i])) expected.push_back(i);
  CHECK(new_rows == expected);
}

TEST_CASE("a particle that changed its type is found under the other", "[render][series]") {
  // 11 turned from type 0 into type 1; 5 is in both types of both snapshots.
  const auto found = match({{5, 11, 12}, {5}}, {{12, 5}, {11, 5}});
  REQUIRE(found[0].both.size() == 2);
  REQUIRE(found[1].both.size() == 1);
  REQUIRE(found[0].first_only.size() == 1);
  CHECK(found[0].first_only[0].row == 1);
  CHECK(found[0].first_only[0].other_type == 1);
  CHECK(found[0].first_only[0].other_row == 0);
  REQUIRE(found[1].second_only.size() == 1);
  CHECK(found[1].second_only[0].other_type == 0);
  CHECK(found[1].second_only[0].other_row == 1);
}

TEST_CASE("what several leftover particles are called tells nothing", "[render][series]") {
  const auto found = match({{7}, {7}, {}}, {{}, {}, {7}});
  CHECK(found[0].first_only.at(0).other_type == -1);
  CHECK(found[1].first_only.at(0).other_type == -1);
  CHECK(found[2].second_only.at(0).other_type == -1);
}

TEST_CASE("repeated IDs are seen", "[render][series]") {
  CHECK(!repeated_id(sort_ids({3, 1, 2})));
  CHECK(repeated_id(sort_ids({3, 1, 2, 1})) == 1);
  CHECK(!repeated_id(sort_ids({})));
}
