// Distances to the k-th nearest over ranks beside a search through all pairs, and beside the search
// of one device among all points.

#include "compute/distributed/kth_distances.h"

#include "compute/distributed/code_ranges.h"
#include "compute/spatial/neighbors.h"
#include "tests/catch.h"
#include "tests/made/clumps.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute;
using compute::distributed::CodeRange;
using compute::distributed::CodeRanges;
using compute::distributed::kth_distances;
using compute::distributed::KthWork;
using compute::distributed::PointPart;
using haloscope::test::Columns;
using haloscope::test::made_points;

namespace {

constexpr double kStep = 0.37;

// As Neighbors says: the squared distance rounded once, and its root times the step once more.
std::vector<float> of_all_pairs(const Columns& points, int k) {
  const std::size_t count = points[0].size();
  std::vector<float> found;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t> squared;
    for (std::size_t j = 0; j < count; ++j) {
      if (j == i) continue;
      std::uint64_t sum = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto d = std::int64_t(std::int32_t(points[axis][i] - points[axis][j]));
        sum += std::uint64_t(d * d);
      }
      squared.push_back(sum);
    }
    std::sort(squared.begin(), squared.end());
    const auto kth = std::size_t(k - 1);
    found.push_back(kth < squared.size() ? float(std::sqrt(double(float(squared[kth]))) * kStep)
                                         : std::numeric_limits<float>::infinity());
  }
  return found;
}

std::vector<float> of_one(const Columns& points, int k) {
  Progress progress;
  const auto neighbors = spatial::make_cpu_neighbors();
  neighbors->set_points({points[0].data(), points[1].data(), points[2].data()}, points[0].size());
  const Array<float> found = neighbors->kth_distance(k, kStep, progress);
  return {found.begin(), found.end()};
}

// `ends[r]`: behind the last point of rank r; ranks beyond have none.
std::vector<float> over_ranks(const Columns& points, const std::vector<std::size_t>& ends, int k,
                              Device device = Device::cpu(), KthWork* of_all = nullptr) {
  std::vector<KthWork> work(ends.size());
  std::vector<float> found(points[0].size(), -1);
  run_thread_ranks(int(ends.size()), [&](Ranks& ranks) {
    const auto r = std::size_t(ranks.rank());
    const std::size_t begin = r == 0 ? 0 : ends[r - 1];
    PointPart own;
    for (std::size_t axis = 0; axis < 3; ++axis) own.position[axis] = points[axis].data() + begin;
    own.count = ends[r] - begin;
    Progress progress;
    const Array<float> part = kth_distances(ranks, device, own, k, kStep, progress, &work[r]);
    if (part.size() != own.count) return;
    std::copy(part.begin(), part.end(), found.begin() + std::ptrdiff_t(begin));
  });
  for (const KthWork& one : work)
    if (of_all) *of_all = {of_all->open + one.open, of_all->others + one.others};
  return found;
}

std::vector<std::size_t> cut(std::size_t count, int size) {
  std::vector<std::size_t> ends;
  for (int r = 0; r < size; ++r) ends.push_back(std::size_t(part_begin(count, r + 1, size)));
  return ends;
}

// Points on planes between the domains of two or eight ranks, and some at one place.
Columns points_at_edges(std::size_t count, unsigned seed) {
  Columns points = made_points(count, seed);
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < count; i += 3)
    points[i / 3 % 3][i] = (i % 2 == 0 ? 1u << 31 : 0u) + std::uint32_t(random() % 5) - 2;
  for (std::size_t i = 40; i < std::min<std::size_t>(count, 80); ++i)
    for (auto& axis : points) axis[i] = axis[0];
  return points;
}

}  // namespace

TEST_CASE("the distance to the k-th nearest over ranks is that of all pairs",
          "[ranks][distributed][neighbors]") {
  for (const std::size_t count : {2, 7, 60, 700}) {
    const Columns points = points_at_edges(count, unsigned(count));
    for (const int k : {1, 5, 32}) {
      const std::vector<float> expected = of_all_pairs(points, k);
      for (const int size : {1, 2, 3, 5, 8}) {
        INFO(count << " points, k " << k << ", " << size << " ranks");
        CHECK(over_ranks(points, cut(count, size), k) == expected);
      }
    }
  }
}

TEST_CASE("of many points over ranks the k-th nearest are those that one device finds",
          "[ranks][distributed][neighbors]") {
  const Columns points = points_at_edges(60000, 5);
  for (const int k : {2, 32, 100}) {
    const std::vector<float> expected = of_one(points, k);
    for (const int size : {2, 3, 7}) {
      INFO("k " << k << ", " << size << " ranks");
      CHECK(over_ranks(points, cut(60000, size), k) == expected);
    }
  }
}

TEST_CASE("a rank gets few points of others to find the k-th nearest of its own",
          "[ranks][distributed][neighbors]") {
  constexpr std::size_t kCount = 200000;
  std::mt19937 random(11);
  Columns points;
  for (auto& axis : points)
    for (std::size_t i = 0; i < kCount; ++i) axis.push_back(std::uint32_t(random()));
  KthWork all;
  const std::vector<float> found = over_ranks(points, cut(kCount, 2), 8, Device::cpu(), &all);
  CHECK(found == of_one(points, 8));
  // Four faces of 58² points, with some two to three points of depth on each side.
  CHECK(all.open > 4 * 58 * 58 / 2);
  CHECK(all.open < 4 * 58 * 58 * 4);
  CHECK(all.others < 4 * 58 * 58 * 6);
}

TEST_CASE("ranks without points, and points at one place, change no distance to the k-th nearest",
          "[ranks][distributed][neighbors]") {
  const Columns points = made_points(900, 8);
  const std::vector<float> expected = of_all_pairs(points, 20);
  CHECK(over_ranks(points, {0, 0, 900, 900}, 20) == expected);
  CHECK(over_ranks(points, {1, 899, 900}, 20) == expected);
  Columns same = points;
  for (auto& axis : same) std::fill(axis.begin(), axis.end() - 3, axis[0]);
  CHECK(over_ranks(same, cut(900, 4), 20) == of_all_pairs(same, 20));
  CHECK(over_ranks({}, {0, 0, 0}, 20).empty());
}

TEST_CASE("the k-th nearest over ranks on a GPU are those of the processor",
          "[gpu][ranks][neighbors]") {
  const Columns points = points_at_edges(60000, 6);
  const std::vector<float> expected = of_one(points, 32);
  for (const Device device : test::devices())
    for (const int size : {1, 2, 5}) {
      INFO(device.word() << ", " << size << " ranks");
      CHECK(over_ranks(points, cut(60000, size), 32, device) == expected);
    }
}

TEST_CASE("ranges of Morton codes hold what their parts hold", "[ranks][distributed]") {
  std::mt19937 random(9);
  CodeRanges ranges, twice;
  std::set<std::uint64_t> codes;
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t begin = random() % 1000, end = begin + 1 + random() % 20;
    ranges.add({begin, end});
    for (std::uint64_t code = begin; code < end; ++code) codes.insert(code);
  }
  twice.add(ranges);
  twice.add(ranges);
  for (CodeRanges* const some : {&ranges, &twice}) {
    some->merge();
    for (std::uint64_t code = 0; code < 1100; ++code)
      CHECK(some->has(code) == (codes.count(code) > 0));
  }
  // Rank 1 has no stretch of its own.
  const std::vector<std::uint64_t> cuts{300, 300, 640};
  std::vector<std::uint64_t> counts;
  const auto of_others = ranges.of_others(cuts, 2, counts);
  REQUIRE(counts.size() == 4);
  CHECK(counts[1] == 0);
  CHECK(counts[2] == 0);
  std::set<std::uint64_t> there;
  for (std::size_t j = 0; j < of_others.size(); ++j)
    for (std::uint64_t code = of_others[j].begin; code < of_others[j].end; ++code) {
      CHECK((j < counts[0] ? code < 300 : code >= 640));
      there.insert(code);
    }
  for (const std::uint64_t code : codes)
    CHECK((there.count(code) > 0) == (code < 300 || code >= 640));
}
