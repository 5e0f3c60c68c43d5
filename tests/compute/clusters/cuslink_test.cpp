// cuSLINK against its steps in plain words, and beside the exact tree.

#include "compute/clusters/cuslink.h"

#include "compute/clusters/cluster_tree.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/rows.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::clusters;
using haloscope::compute::Device;
using haloscope::test::MadeRows;

namespace {

using Edge = std::tuple<float, std::uint32_t, std::uint32_t>;  // weight, rows

class Sets {
 public:
  explicit Sets(std::uint32_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  bool join(std::uint32_t i, std::uint32_t j) {
    i = find(i);
    j = find(j);
    parent_[i] = j;
    return i != j;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

struct Expected {
  std::vector<Edge> tree;
  std::uint64_t graph_trees = 0;
};

// All distances, or mutual reachabilities.
class Weights {
 public:
  Weights(const MadeRows& rows, std::uint32_t min_samples) : count_(rows.count()) {
    for (std::uint32_t a = 0; a < count_; ++a) {
      for (std::uint32_t b = 0; b < count_; ++b) all_.push_back(test::distance_of_rows(rows, a, b));
      std::vector<std::uint32_t> others(count_);
      std::iota(others.begin(), others.end(), 0u);
      others.erase(others.begin() + a);
      const float* const own = all_.data() + std::size_t(a) * count_;
      std::stable_sort(others.begin(), others.end(),
                       [&](std::uint32_t i, std::uint32_t j) { return own[i] < own[j]; });
      if (min_samples > 1) core_.push_back(own[others[min_samples - 2]]);
      neighbors_.insert(neighbors_.end(), others.begin(), others.end());
    }
  }
  Edge edge(std::uint32_t a, std::uint32_t b) const {
    float weight = all_[std::size_t(a) * count_ + b];
    if (!core_.empty()) weight = std::max({weight, core_[a], core_[b]});
    return {weight, std::min(a, b), std::max(a, b)};
  }
  const std::vector<float>& core() const { return core_; }
  // Neighbor i of a row, by distance.
  std::uint32_t neighbor(std::uint32_t row, std::uint32_t i) const {
    return neighbors_[std::size_t(row) * (count_ - 1) + i];
  }

 private:
  std::uint32_t count_;
  std::vector<float> all_, core_;
  std::vector<std::uint32_t> neighbors_;
};

Expected by_steps(const Weights& weights, std::uint32_t count, std::uint32_t k) {
  std::vector<Edge> graph;
  for (std::uint32_t r = 0; r < count; ++r)
    for (std::uint32_t i = 0; i < k; ++i) graph.push_back(weights.edge(r, weights.neighbor(r, i)));
  std::sort(graph.begin(), graph.end());
  Expected expected;
  Sets sets(count);
  for (const Edge& edge : graph)
    if (sets.join(std::get<1>(edge), std::get<2>(edge))) expected.tree.push_back(edge);
  expected.graph_trees = count - expected.tree.size();
  while (expected.tree.size() + 1 < count) {
    std::map<std::uint32_t, Edge> least;  // of each set
    for (std::uint32_t a = 0; a < count; ++a)
      for (std::uint32_t b = 0; b < count; ++b) {
        if (sets.find(a) == sets.find(b)) continue;
        const Edge edge = weights.edge(a, b);
        const auto at = least.try_emplace(sets.find(a), edge).first;
        at->second = std::min(at->second, edge);
      }
    for (const auto& [set, edge] : least)
      if (sets.join(std::get<1>(edge), std::get<2>(edge))) expected.tree.push_back(edge);
  }
  std::sort(expected.tree.begin(), expected.tree.end());
  return expected;
}

std::vector<Edge> edges_of(const CuslinkTree& tree) {
  std::vector<Edge> edges;
  for (std::size_t e = 0; e < tree.weight.size(); ++e)
    edges.emplace_back(tree.weight[e], tree.edges.a[e], tree.edges.b[e]);
  return edges;
}

void check(const MadeRows& rows, std::uint32_t k, std::uint32_t min_samples) {
  CAPTURE(rows.name, rows.dimensions, rows.count(), k, min_samples);
  const Weights weights(rows, min_samples);
  const std::uint32_t neighbors =
      std::max(k ? k : default_cuslink_neighbors(rows.count()), min_samples - 1);
  const Expected expected = by_steps(weights, rows.count(), neighbors);
  for (const auto& device : test::devices()) {
    CAPTURE(device);
    Progress progress;
    const CuslinkTree found = make_cuslink_tree(device, rows.view(), {k, min_samples}, progress);
    CHECK(found.edges.points == rows.count());
    CHECK((edges_of(found) == expected.tree));
    CHECK((found.core == weights.core()));
    CHECK(found.graph_trees == expected.graph_trees);
    CHECK((found.connections > 0) == (expected.graph_trees > 1));
    CHECK(found.dendrogram.size.size() == found.weight.size());
    CHECK((found.weight.empty() || found.dendrogram.size.back() == rows.count()));
  }
}

}  // namespace

TEST_CASE("cuslink makes the tree of its steps", "[cuslink][gpu][few]") {
  const auto count = test::sized(400u, 120u);
  for (const std::uint32_t dimensions : {1u, 2u, 5u, 6u, 40u})
    for (const std::uint32_t k : {0u, 1u, 4u})
      for (const std::uint32_t min_samples : {1u, 2u, 9u}) {
        check(test::uniform_rows(count, dimensions, dimensions), k, min_samples);
        check(test::clumped_rows(count, dimensions, 9, dimensions), k, min_samples);
        check(test::grid_rows(count, dimensions, 4, dimensions), k, min_samples);
      }
}

TEST_CASE("cuslink takes few rows, equal rows, and rows far from all others",
          "[cuslink][gpu][few]") {
  check(test::uniform_rows(1, 4, 1), 0, 1);
  check(test::uniform_rows(2, 4, 1), 0, 1);
  check(test::uniform_rows(2, 4, 1), 1, 2);
  check(test::uniform_rows(30, 4, 1), 29, 30);
  check(test::grid_rows(300, 4, 1, 1), 0, 5);
  check(test::changed(test::clumped_rows(300, 4, 5, 2), 1e-12f, 3), 2, 1);
  // Two large groups and single rows, which the graph leaves alone at k = 1.
  MadeRows apart = test::clumped_rows(600, 3, 2, 3);
  for (std::uint32_t r = 0; r < 600; r += 97) apart.values[r * 3] += float(r);
  check(apart, 1, 1);
  check(apart, 5, 4);
}

// In few dimensions neighbors are found in a tree, and distances are of whole numbers.
TEST_CASE("cuslink of points in a lattice makes the tree of its steps", "[cuslink][gpu][few]") {
  const auto count = test::sized(400u, 120u);
  for (const std::uint32_t dimensions : {1u, 2u, 3u})
    for (const float largest : {8.f, 999.f})
      for (const int k : {1, 4, 30})
        for (const std::uint32_t min_samples : {1u, 2u, 9u}) {
          CAPTURE(dimensions, largest, k, min_samples);
          MadeRows rows = test::clumped_rows(count, dimensions, 9, dimensions);
          // So few that float32 tells their distances apart.
          for (float& x : rows.values) x = std::clamp(std::round((x + 1.5f) * 333), 0.f, largest);
          const Weights weights(rows, min_samples);
          const Expected expected =
              by_steps(weights, count, std::max(std::uint32_t(k), min_samples - 1));
          std::vector<std::vector<std::uint32_t>> column(dimensions);
          for (std::size_t i = 0; i < rows.values.size(); ++i)
            column[i % dimensions].push_back(std::uint32_t(rows.values[i]) - 500);
          LatticePoints points;
          points.count = count;
          for (const auto& values : column) points.column.push_back(values.data());
          for (const auto& device : test::devices()) {
            CAPTURE(device);
            Progress progress;
            const auto tree = make_cluster_tree(device, progress);
            SpanningTreeWork work;
            tree->grow(points, {int(min_samples), k}, nullptr, &work);
            const SpanningTree found = tree->spanning_tree();
            std::vector<Edge> edges;
            for (std::size_t e = 0; e + 1 < count; ++e)
              edges.emplace_back(float(std::sqrt(double(found.squared_weight[e]))), found.a[e],
                                 found.b[e]);
            CHECK((edges == expected.tree));
            CHECK(work.graph_trees == expected.graph_trees);
          }
        }
}

// A known weakness of the method: where a clump's rows have all their neighbors in it, the edge to
// another is found only if nothing else joins the two.
TEST_CASE("cuslink's tree can be longer than the exact one, which is the shortest",
          "[cuslink][gpu][few]") {
  // Blobs with a thin background, on a lattice, where distances of both are those of whole numbers.
  MadeRows rows = test::clumped_rows(test::sized(1500u, 500u), 2, 12, 5);
  for (float& x : rows.values) x = std::round((x + 2) * 16384);
  const Weights weights(rows, 1);
  const std::uint32_t count = rows.count();
  const std::vector<Edge> shortest = by_steps(weights, count, count - 1).tree;
  std::vector<std::uint32_t> column[2];
  for (std::size_t i = 0; i < rows.values.size(); ++i)
    column[i % 2].push_back(std::uint32_t(rows.values[i]));
  for (const auto& device : test::devices()) {
    CAPTURE(device);
    Progress progress;
    const CuslinkTree linked = make_cuslink_tree(device, rows.view(), {6, 1}, progress);
    const auto exact = make_cluster_tree(device, progress);
    exact->grow(LatticePoints{{column[0].data(), column[1].data()}, count}, {1});
    const SpanningTree tree = exact->spanning_tree();
    std::size_t longer = 0, wrong = 0;
    for (std::size_t e = 0; e + 1 < count; ++e) {
      const float least = std::get<0>(shortest[e]);
      longer += linked.weight[e] > least;
      wrong += float(std::sqrt(double(tree.squared_weight[e]))) != least;
      CHECK(linked.weight[e] >= least);
    }
    CHECK(longer > 0);
    CHECK(wrong == 0);
  }
}

TEST_CASE("what cuslink cannot link is refused", "[cuslink][gpu]") {
  for (const auto& device : test::devices()) {
    const MadeRows rows = test::uniform_rows(20, 3, 1);
    Progress progress;
    const auto link = [&](const CuslinkSettings& settings) {
      return make_cuslink_tree(device, rows.view(), settings, progress);
    };
    CHECK_THROWS_AS(link({20, 1}), Error);
    CHECK_THROWS_AS(link({600, 1}), Error);
    CHECK_THROWS_AS(link({0, 0}), Error);
    CHECK_THROWS_AS(link({0, 21}), Error);
    CHECK(link({19, 20}).weight.size() == 19);
    const std::uint32_t column[3] = {0, 1, 2};
    const auto tree = make_cluster_tree(device, progress);
    CHECK_THROWS_AS(tree->grow(LatticePoints{{column}, 3}, {1, 3}), Error);
    CHECK_THROWS_AS(tree->grow(LatticePoints{{column}, 3}, {1, 81}), Error);
    CHECK_THROWS_AS(tree->grow(LatticePoints{{column, column, column, column}, 3}, {1, 2}), Error);
    CHECK(make_cuslink_tree(device, {nullptr, 0, 3}, {}, progress).weight.empty());
    progress.cancel();
    CHECK_THROWS_AS(link({}), Cancelled);
  }
}

TEST_CASE("cuslink's usual number of neighbors is that of its paper's authors", "[cuslink]") {
  CHECK(default_cuslink_neighbors(0) == 0);
  CHECK(default_cuslink_neighbors(5) == 4);
  CHECK(default_cuslink_neighbors(1000) == 24);
  CHECK(default_cuslink_neighbors(1'000'000) == 34);
}
