// Spanning trees of points of every kind, against Prim's algorithm on all distances.

#include "compute/clusters/cluster_tree.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/renderers.h"
#include "tests/skip.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::clusters;
using haloscope::compute::Device;
namespace hierarchy = haloscope::compute::hierarchy;

namespace {

struct Points {
  std::string name;
  std::vector<std::vector<std::uint32_t>> column;
  std::uint32_t shift = 0;

  std::uint32_t count() const { return std::uint32_t(column.front().size()); }
  LatticePoints view() const {
    LatticePoints points;
    for (const auto& values : column) points.column.push_back(values.data());
    points.count = count();
    points.shift = shift;
    return points;
  }
};

std::uint64_t squared(const Points& points, std::uint32_t i, std::uint32_t j) {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < points.column.size(); ++a) {
    const auto& values = points.column[a];
    std::int64_t d = std::int32_t(values[i] - values[j]);
    if (a < 3) d /= std::int64_t(1) << points.shift;
    sum += std::uint64_t(d * d);
  }
  return sum;
}

std::vector<std::uint64_t> core_distances(const Points& points, int min_samples) {
  std::vector<std::uint64_t> core;
  for (std::uint32_t i = 0; min_samples > 1 && i < points.count(); ++i) {
    std::vector<std::uint64_t> all;
    for (std::uint32_t j = 0; j < points.count(); ++j) all.push_back(squared(points, i, j));
    std::nth_element(all.begin(), all.begin() + min_samples - 1, all.end());
    core.push_back(all[std::size_t(min_samples - 1)]);
  }
  return core;
}

using Edge = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // weight, rows

std::vector<Edge> by_prim(const Points& points, const std::vector<std::uint64_t>& core) {
  const std::uint32_t n = points.count();
  std::vector<Edge> tree;
  if (n == 0) return tree;
  const auto edge = [&](std::uint32_t i, std::uint32_t j) {
    std::uint64_t weight = squared(points, i, j);
    if (!core.empty()) weight = std::max({weight, core[i], core[j]});
    return Edge{weight, std::min(i, j), std::max(i, j)};
  };
  std::vector<Edge> nearest;
  std::vector<bool> taken(n);
  taken[0] = true;
  for (std::uint32_t i = 0; i < n; ++i) nearest.push_back(edge(0, i));
  for (std::uint32_t step = 1; step < n; ++step) {
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < n; ++i)
      if (!taken[i] && (taken[next] || nearest[i] < nearest[next])) next = i;
    taken[next] = true;
    tree.push_back(nearest[next]);
    for (std::uint32_t i = 0; i < n; ++i)
      if (!taken[i]) nearest[i] = std::min(nearest[i], edge(next, i));
  }
  std::sort(tree.begin(), tree.end());
  return tree;
}

std::vector<Edge> edges_of(const SpanningTree& tree) {
  std::vector<Edge> edges;
  for (std::size_t k = 0; k < tree.a.size(); ++k)
    edges.emplace_back(tree.squared_weight[k], tree.a[k], tree.b[k]);
  return edges;
}

// Differences stay below 2³⁰ for `bits` of 30, and wrap for 32.
Points uniform(std::size_t dimensions, std::size_t count, int bits, unsigned seed) {
  std::mt19937 random(seed);
  Points points{"uniform", {}};
  for (std::size_t a = 0; a < dimensions; ++a) {
    auto& values = points.column.emplace_back();
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(std::uint32_t(random()) >> (32 - bits));
  }
  return points;
}

// Tight clumps of many sizes in a thin background, which lists of neighbors cannot join.
Points clumps(std::size_t dimensions, std::size_t count, int bits, unsigned seed) {
  std::mt19937 random(seed);
  Points points = uniform(dimensions, count, bits, seed + 1);
  points.name = "clumps";
  std::vector<std::uint32_t> center(dimensions);
  std::uint32_t width = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 20 == 0) continue;
    if (i == 0 || random() % 50 == 0) {
      for (auto& c : center) c = std::uint32_t(random()) >> (32 - bits);
      width = 1u << (1 + random() % 20);
    }
    for (std::size_t a = 0; a < dimensions; ++a) {
      const std::uint32_t v = center[a] + random() % width;
      points.column[a][i] = bits < 32 ? std::min(v, (1u << bits) - 1) : v;
    }
  }
  return points;
}

// Few places, so that most distances are equal and many are none.
Points crowded(std::size_t dimensions, std::size_t count, std::uint32_t places, unsigned seed) {
  Points points = uniform(dimensions, count, 30, seed);
  points.name = "crowded";
  for (auto& values : points.column)
    for (auto& v : values) v = v % places * 1000;
  return points;
}

struct Grown {
  SpanningTree tree;
  hierarchy::Dendrogram dendrogram;
};

Grown grown(Device device, const Points& points, int min_samples) {
  Progress progress;
  const auto tree = make_cluster_tree(device, progress);
  tree->grow(points.view(), {.min_samples = min_samples});
  return {tree->spanning_tree(), tree->dendrogram()};
}

void check(const Points& points, int min_samples) {
  CAPTURE(points.name, points.column.size(), points.count(), min_samples);
  const auto core = core_distances(points, min_samples);
  const auto expected = by_prim(points, core);
  std::vector<std::uint32_t> order;
  for (const Device device : test::devices()) {
    CAPTURE(device);
    const auto [tree, dendrogram] = grown(device, points, min_samples);
    CHECK(tree.points == points.count());
    CHECK((edges_of(tree) == expected));
    CHECK((tree.squared_core == core));
    // It is made of edges as they were found, and is the one of edges by rank.
    const auto by_rank = hierarchy::make_dendrogram(device, {tree.points, tree.a, tree.b});
    CHECK((dendrogram.point_parent == by_rank.point_parent));
    CHECK((dendrogram.edge_parent == by_rank.edge_parent));
    CHECK((dendrogram.size == by_rank.size));
    // Any order is right in which clusters lie side by side, but it is the same on all devices.
    if (order.empty()) order = dendrogram.order;
    CHECK((dendrogram.order == order));
  }
}

}  // namespace

TEST_CASE("spanning trees are those of all distances", "[clusters]") {
  // Lists hold 6, 8, 16 and more neighbors. The sanitizers see each of these full, and each
  // dimension that is compiled.
  using Numbers = std::vector<int>;
  const std::size_t most = test::sized<std::size_t>(1500, 200);
  for (const int dimensions : test::kSanitized ? Numbers{2, 3, 6, 8} : Numbers{1, 2, 3, 4, 6, 8})
    for (const int min_samples :
         test::kSanitized ? Numbers{1, 7, 15, 17} : Numbers{1, 2, 5, 7, 10, 15, 17}) {
      const int bits = dimensions <= 3 ? 32 : 30;
      for (const std::size_t count : {std::size_t(64), std::size_t(65), most}) {
        check(uniform(std::size_t(dimensions), count, bits, unsigned(count)), min_samples);
        check(clumps(std::size_t(dimensions), count, bits, unsigned(count)), min_samples);
      }
    }
}

TEST_CASE("spanning trees of few points", "[clusters]") {
  for (std::size_t count = 0; count <= 20; ++count)
    for (const int min_samples : {1, 2, 5})
      if (count == 0 || std::size_t(min_samples) <= count)
        for (const Points& points :
             {uniform(3, count, 32, unsigned(count)), crowded(3, count, 1, 1),
              crowded(3, count, 2, unsigned(count))})
          check(points, min_samples);
}

// Positions that wrap, beside velocities that reach farther than the box is wide.
TEST_CASE("spanning trees of phase space are those of all distances", "[clusters]") {
  const std::size_t count = test::sized<std::size_t>(900, 150);
  for (const std::size_t dimensions : {4u, 5u, 6u})
    for (const std::uint32_t shift : {2u, 6u, 24u})
      for (const int min_samples : {1, 7, 17}) {
        Points points = clumps(dimensions, count, 30, shift);
        points.name = "phase space";
        points.shift = shift;
        // In units of the step: positions of the whole box, velocities of twice that.
        for (std::size_t a = 0; a < dimensions; ++a)
          for (auto& v : points.column[a])
            v = a < 3 ? v << 2 >> shift << shift : v >> (shift > 3 ? shift - 3 : 0);
        check(points, min_samples);
      }
  for (const auto& [dimensions, shift] : {std::pair{3u, 6u}, {7u, 6u}, {6u, 1u}, {6u, 25u}}) {
    Points points = uniform(dimensions, 20, 20, 1);
    points.shift = shift;
    CHECK_THROWS_AS(grown(Device::cpu(), points, 1), Error);
  }
}

// Enough points that a GPU compares in float32, in a box that wraps: blocks lie on both sides of
// the place that is farthest from a point, and large ones reach round it to the point's other side.
TEST_CASE("both executors grow one tree round a periodic box", "[clusters]") {
  if (test::devices().size() < 2)
    return test::skip(test::Needs::Gpu, "there is no GPU to compare with");
  const std::size_t count = test::sized<std::size_t>(200'000, 20'000);
  for (Points points : {uniform(3, count, 32, 1), clumps(3, count, 32, 2), uniform(2, count, 32, 3),
                        clumps(6, count / 4, 30, 4)})
    for (const int min_samples : {1, 5, 12}) {
      CAPTURE(points.name, points.column.size(), min_samples);
      const SpanningTree expected = grown(Device::cpu(), points, min_samples).tree;
      for (const Device device : test::devices()) {
        const SpanningTree tree = grown(device, points, min_samples).tree;
        CHECK((edges_of(tree) == edges_of(expected)));
        CHECK((tree.squared_core == expected.squared_core));
      }
    }
}

TEST_CASE("the longest distances that a lattice holds do not wrap", "[clusters]") {
  constexpr std::uint32_t kMost = 0x7fffffff;
  Points points{
      "far corners",
      {{0, kMost, kMost - 1}, {0, kMost, kMost}, {0, kMost, kMost}, {0, kMost - 1, kMost}}};
  check(points, 1);
}

TEST_CASE("edges of one weight stand by their rows, however many there are", "[clusters]") {
  // Pairs of one distance, far from one another.
  for (const std::uint32_t pairs : {2u, 31u, 32u, 33u, 64u, 65u}) {
    Points points{"pairs", {{}, {}, {}}};
    std::mt19937 random(pairs);
    for (std::uint32_t k = 0; k < 2 * pairs; ++k) {
      points.column[0].push_back(k % pairs * 30'000'000 + (k < pairs ? 0 : 1000));
      points.column[1].push_back(k % pairs % 7 * 1'000'000);
      points.column[2].push_back(7);
    }
    check(points, 1);
    check(points, 2);
  }
}

TEST_CASE("equal distances are told apart by their rows", "[clusters]") {
  const std::size_t count = test::sized<std::size_t>(1000, 150);
  for (const int min_samples : {1, 2, 5, 9, 13, 17, 65}) {
    check(crowded(3, count, 1, 1), min_samples);  // all at one place
    check(crowded(3, count, 2, 2), min_samples);
    check(crowded(3, count, 9, 3), min_samples);  // a grid
    check(crowded(2, count, 40, 4), min_samples);
    check(crowded(1, count, 1000, 5), min_samples);  // a line
    check(crowded(6, count, 2, 6), min_samples);
  }
}

TEST_CASE("a tree that lists of neighbors cannot find", "[clusters]") {
  // Clumps of 200, each tighter than all that lies between them: no list leaves its clump.
  Points points = uniform(3, 2000, 31, 7);
  points.name = "far clumps";
  for (auto& values : points.column)
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::uint32_t(i / 200) * 300'000'000u + values[i] % 1000;
  check(points, 1);
  check(points, 5);
  Progress progress;
  SpanningTreeWork work;
  make_cluster_tree(Device::cpu(), progress)->grow(points.view(), {}, nullptr, &work);
  CHECK(work.rounds.front().searched == 0);
  CHECK(work.rounds.back().searched > 0);
}

TEST_CASE("coincident points do not cost their square", "[clusters]") {
  // Twice 1e10 pairs if they did: minutes.
  const std::size_t count = test::sized<std::size_t>(200'000, 20'000);
  Points points = crowded(3, count, 2, 8);
  for (const Device device : test::devices()) {
    const SpanningTree tree = grown(device, points, 5).tree;
    CHECK(tree.squared_weight.front() == 0);
    CHECK(tree.squared_weight[count - 9] == 0);
    CHECK(tree.squared_weight[count - 8] == 1'000'000);
  }
}

TEST_CASE("a spanning tree says what it cannot join", "[clusters]") {
  const Points points = uniform(3, 10, 32, 1);
  Progress progress;
  const auto message = [&](LatticePoints from, int min_samples) -> std::string {
    try {
      make_cluster_tree(Device::cpu(), progress)->grow(from, {min_samples});
    } catch (const Error& e) {
      return e.what();
    }
    return "none";
  };
  CHECK_THAT(message(points.view(), 11), Catch::Contains("11 neighbors, itself included"));
  CHECK_THAT(message(points.view(), 0), Catch::Contains("not 0"));
  CHECK_THAT(message(points.view(), 66), Catch::Contains("not 66"));
  LatticePoints many = points.view();
  many.count = 0x80000000u;
  CHECK_THAT(message(many, 1), Catch::Contains("2147483648 points"));
  LatticePoints wide = points.view();
  wide.column.resize(9, wide.column.front());
  CHECK_THAT(message(wide, 1), Catch::Contains("9 dimensions"));
}
