// Dendrograms of trees of every shape, against merging one edge after another.

#include "compute/hierarchy/dendrogram.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/oracles/plain_cut.h"
#include "tests/renderers.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::hierarchy;

namespace {

using Ids = std::vector<std::uint32_t>;

enum class Shape { Path, Star, Random, Comb, Halves };

// The edges of a tree, in an order that `shuffled` makes random: else by their farther point, which
// on a path merges point by point.
RankedForest make_tree(Shape shape, std::uint32_t points, bool shuffled, std::mt19937_64& random) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t i = 1; i < points; ++i) {
    std::uint32_t to = i - 1;
    if (shape == Shape::Star) to = 0;
    if (shape == Shape::Random) to = std::uint32_t(random() % i);
    if (shape == Shape::Comb) to = i % 2 ? i - 1 : i - (i > 1 ? 2 : 1);
    if (shape == Shape::Halves) to = i & (i - 1);  // each bit is one merging of halves
    edges.emplace_back(random() % 2 ? std::pair(i, to) : std::pair(to, i));
  }
  if (shuffled) std::shuffle(edges.begin(), edges.end(), random);
  Ids name(points);
  std::iota(name.begin(), name.end(), 0u);
  std::shuffle(name.begin(), name.end(), random);
  RankedForest tree{points, {}, {}};
  for (const auto& [a, b] : edges) {
    tree.a.push_back(name[a]);
    tree.b.push_back(name[b]);
  }
  return tree;
}

// Merges one edge after another.
struct Merging {
  Ids set, top, point_parent, edge_parent, size;

  explicit Merging(const RankedForest& forest)
      : set(forest.points),
        top(forest.points, kNone),
        point_parent(forest.points, kNone),
        edge_parent(forest.a.size(), kNone) {
    std::iota(set.begin(), set.end(), 0u);
    Ids points(forest.points, 1);
    for (std::uint32_t rank = 0; rank < forest.a.size(); ++rank) {
      std::uint32_t one = find(forest.a[rank]), other = find(forest.b[rank]);
      for (const std::uint32_t root : {one, other})
        (top[root] == kNone ? point_parent[root] : edge_parent[top[root]]) = rank;
      if (points[one] < points[other]) std::swap(one, other);
      set[other] = one;
      points[one] += points[other];
      top[one] = rank;
      size.push_back(points[one]);
    }
  }
  std::uint32_t find(std::uint32_t i) {
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
  }
};

// Of each point the smallest one of its cluster, once the first edges have merged.
Ids smallest_after(const RankedForest& forest, std::size_t ranks) {
  RankedForest some{forest.points, forest.a, forest.b};
  some.a.resize(std::min(ranks, some.a.size()));
  some.b.resize(some.a.size());
  Merging merging(some);
  Ids smallest(forest.points, kNone), labels;
  for (std::uint32_t i = 0; i < forest.points; ++i)
    smallest[merging.find(i)] = std::min(smallest[merging.find(i)], i);
  for (std::uint32_t i = 0; i < forest.points; ++i) labels.push_back(smallest[merging.find(i)]);
  return labels;
}

void check(const RankedForest& forest, compute::Device device) {
  const Merging expected(forest);
  const Dendrogram found = make_dendrogram(device, forest);
  // A whole list on one line says less than that they differ.
  CHECK((found.point_parent == expected.point_parent));
  CHECK((found.edge_parent == expected.edge_parent));
  CHECK((found.size == expected.size));

  REQUIRE(found.order.size() == forest.points);
  Ids sorted = found.order;
  std::sort(sorted.begin(), sorted.end());
  bool each_once = true;
  for (std::uint32_t i = 0; i < forest.points; ++i) each_once = each_once && sorted[i] == i;
  CHECK(each_once);
  Ids met = found.between;
  std::sort(met.begin(), met.end());
  REQUIRE(found.between.size() + 1 == std::max(forest.points, 1u));
  bool each_edge = true;
  for (std::uint32_t rank = 0; rank < forest.a.size(); ++rank)
    each_edge = each_edge && met[rank] == rank;
  CHECK(each_edge);

  const std::size_t edges = forest.a.size();
  for (const std::size_t ranks :
       {std::size_t(0), std::size_t(1), edges / 3, edges / 2, edges - edges / 9, edges})
    CHECK((test::plain_cut(found, std::uint32_t(ranks)) == smallest_after(forest, ranks)));
}

}  // namespace

TEST_CASE("dendrograms are those of merging edge by edge, whatever the tree",
          "[hierarchy][gpu][few]") {
  std::mt19937_64 random(11);
  for (const auto& device : test::devices()) {
    CAPTURE(device);
    for (const Shape shape : {Shape::Path, Shape::Star, Shape::Random, Shape::Comb, Shape::Halves})
      for (const bool shuffled : {false, true})
        for (const std::uint32_t points : {2u, 3u, 7u, 64u, 1000u}) {
          CAPTURE(int(shape), shuffled, points);
          check(make_tree(shape, points, shuffled, random), device);
        }
  }
}

TEST_CASE("the dendrogram of a long path takes as few rounds as another", "[hierarchy][gpu]") {
  std::mt19937_64 random(12);
  const std::uint32_t points = test::sized(300'000u, 30'000u);
  for (const auto& device : test::devices())
    for (const Shape shape : {Shape::Path, Shape::Random}) {
      CAPTURE(device, int(shape));
      check(make_tree(shape, points, false, random), device);
      check(make_tree(shape, points, true, random), device);
    }
}

TEST_CASE("a forest has a dendrogram for each of its trees", "[hierarchy][gpu][few]") {
  std::mt19937_64 random(13);
  for (const auto& device : test::devices()) {
    RankedForest forest = make_tree(Shape::Random, 500, true, random);
    for (const std::size_t left : {400u, 100u, 3u, 1u, 0u}) {
      CAPTURE(device, left);
      forest.a.resize(left);
      forest.b.resize(left);
      check(forest, device);
    }
    check({1, {}, {}}, device);
    check({0, {}, {}}, device);
  }
}

TEST_CASE("edges that make no forest are refused", "[hierarchy][gpu]") {
  for (const auto& device : test::devices()) {
    const auto fault = [&](const RankedForest& forest) -> std::string {
      try {
        make_dendrogram(device, forest);
      } catch (const Error& error) {
        return error.what();
      }
      return {};
    };
    const std::string cycle =
        "dendrogram: its edges close a cycle; give the edges of a tree or forest";
    CHECK(fault({5, {0, 1, 2}, {1, 2, 0}}) == cycle);
    CHECK(fault({5, {0, 0}, {1, 1}}) == cycle);
    CHECK(fault({5, {3}, {3}}) ==
          "dendrogram: an edge joins point 3 with itself; give the edges of a tree or forest");
    CHECK(fault({2, {0, 1}, {1, 0}}) == cycle);
    CHECK(fault({2, {0}, {2}}) == "dendrogram: an edge names point 2 of 2");
    CHECK(fault({2, {0}, {}}) == "dendrogram: its edges have 1 first and 0 second points");
  }
}
