// The CPU's own search for the k nearest against the plain one, on sets that its groups and lists
// of candidates have to cope with.

#include "compute/spatial/nearest_group_cpu.h"
#include "tests/catch.h"
#include "tests/made/fixed_points.h"
#include "tests/made/size.h"

#include <string>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::spatial;
using test::Kind;
using test::Points;

namespace {

PointTree<Cpu> tree_of(Cpu& exec, const Points& p) {
  return make_point_tree(
      exec, {{p[0].data(), p[1].data(), p[2].data()}, nullptr, std::uint32_t(p[0].size()), false},
      [](const char*) {});
}

// In parts where they cut nodes of the tree; 0: all at once.
void compare(const Points& p, std::uint32_t part, const std::vector<int>& ks,
             const std::string& what) {
  Cpu exec;
  const auto count = std::uint32_t(p[0].size());
  if (part == 0) part = count;
  const auto points = tree_of(exec, p);
  for (const int k : ks) {
    INFO(what << ", " << count << " points, k " << k << ", part " << part);
    std::vector<float> plain(count, -2.f), found(count, -1.f);
    find_kth_distances<Cpu>(exec, points.view(), k, 0, count, plain.data());
    for (std::uint32_t first = 0; first < count; first += part)
      find_kth_distances(exec, points.view(), k, first, std::min(part, count - first),
                         found.data());
    CHECK(found == plain);
  }
}

// Both ends of each of the plain version's lists.
const std::vector<int> kSomeK{1, 5, 8, 9, 32, 33, 128};

}  // namespace

TEST_CASE("groups find the same k-th neighbors as single points do", "[neighbors]") {
  std::mt19937_64 random(21);
  for (int kind = 0; kind < test::kKinds; ++kind) {
    const Points p = test::make_points(Kind(kind), test::sized(6000, 1000), random);
    const std::string what = "kind " + std::to_string(kind);
    compare(p, 0, kSomeK, what);
    compare(p, 997, kSomeK, what);
    compare(test::in_middle_half(p), 0, kSomeK, what + ", not periodic");
  }
}

TEST_CASE("groups find the same neighbors for every k", "[neighbors]") {
  std::mt19937_64 random(24);
  // The sanitizers see every seventh: k is a number in all of this code, whose ends the test above
  // has.
  std::vector<int> every;
  for (int k = 1; k <= Neighbors::kMostNeighbors; k += test::sized(1, 7)) every.push_back(k);
  for (int kind = 0; kind < test::kKinds; ++kind)
    compare(test::make_points(Kind(kind), 700, random), 0, every, "kind " + std::to_string(kind));
}

TEST_CASE("groups of hardly more points than neighbors, or fewer, find the same", "[neighbors]") {
  std::mt19937_64 random(25);
  for (const std::size_t count : {1, 2, 3, 6, 31, 32, 33, 34, 65, 128, 129, 130})
    for (int kind = 0; kind < test::kKinds; ++kind)
      compare(test::make_points(Kind(kind), count, random), 0, kSomeK,
              "kind " + std::to_string(kind));
}

TEST_CASE("groups too near a crowd for their lists are searched one by one", "[neighbors]") {
  std::mt19937_64 random(22);
  const std::vector<int> ks = test::kSanitized ? std::vector<int>{1, 33, 128} : kSomeK;
  // A crowd that fills a few thousand steps, more than a list can hold, and a few points around.
  // The sanitizers see a smaller one, which no list holds either.
  Points p;
  for (std::size_t i = 0; i < test::sized(20000, 6000); ++i)
    for (auto& axis : p)
      axis.push_back(i % 100 == 0 ? std::uint32_t(random()) : std::uint32_t(random() % 4096));
  compare(p, 0, ks, "crowd");
  // The same within a step or two, where distances are equal in thousands.
  for (auto& axis : p)
    for (auto& x : axis)
      if (x < 4096) x %= 3;
  compare(p, 0, ks, "equal distances");
}

// From a few points to a crowd far away along all axes: its distances differ by a few last places
// of float32, in which their order is another than the exact one.
TEST_CASE("groups tell distances apart that round to nearly the same", "[neighbors]") {
  std::mt19937_64 random(23);
  Points p;
  for (std::size_t i = 0; i < 500; ++i)
    for (auto& axis : p)
      axis.push_back((i < 20 ? 0u : 0x40000000u) + std::uint32_t(random() % 256));
  compare(p, 0, kSomeK, "two crowds");
}
