// Spanning forests of graphs of every kind, against Kruskal's algorithm.

#include "compute/hierarchy/spanning_forest.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/size.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::compute::hierarchy;

namespace {

struct Edge {
  std::uint32_t from, to;
  float weight;
};

Graph graph_of(std::uint32_t vertices, std::vector<Edge> edges) {
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& a, const Edge& b) { return a.from < b.from; });
  Graph graph;
  graph.begin.assign(std::size_t(vertices) + 1, 0);
  for (const Edge& edge : edges) {
    ++graph.begin[edge.from + 1];
    graph.neighbor.push_back(edge.to);
    graph.weight.push_back(edge.weight);
  }
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  return graph;
}

SpanningForest by_kruskal(std::uint32_t vertices, std::vector<Edge> edges, Spanning spanning) {
  for (Edge& edge : edges)
    if (edge.from > edge.to) std::swap(edge.from, edge.to);
  std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
    if (a.weight != b.weight)
      return spanning == Spanning::Minimum ? a.weight < b.weight : a.weight > b.weight;
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  std::vector<std::uint32_t> set(vertices);
  std::iota(set.begin(), set.end(), 0u);
  const auto find = [&](std::uint32_t i) {
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
  };
  SpanningForest forest;
  forest.edges.points = vertices;
  for (const Edge& edge : edges) {
    const std::uint32_t a = find(edge.from), b = find(edge.to);
    if (a == b) continue;
    set[a] = b;
    forest.edges.a.push_back(edge.from);
    forest.edges.b.push_back(edge.to);
    forest.weight.push_back(edge.weight);
  }
  return forest;
}

void check(std::uint32_t vertices, const std::vector<Edge>& edges, compute::Device device) {
  for (const Spanning spanning : {Spanning::Minimum, Spanning::Maximum}) {
    const SpanningForest expected = by_kruskal(vertices, edges, spanning);
    const SpanningForest found = make_spanning_forest(device, graph_of(vertices, edges), spanning);
    CHECK(found.edges.points == vertices);
    CHECK((found.edges.a == expected.edges.a));
    CHECK((found.edges.b == expected.edges.b));
    CHECK((found.weight == expected.weight));
    // It is a forest, whose dendrogram can be had.
    CHECK(make_dendrogram(device, found.edges).size.size() == found.weight.size());
  }
}

std::vector<Edge> random_edges(std::uint32_t vertices, std::size_t count, int weights,
                               std::mt19937_64& random) {
  std::vector<Edge> edges;
  for (std::size_t k = 0; k < count; ++k) {
    const auto a = std::uint32_t(random() % vertices), b = std::uint32_t(random() % vertices);
    // Of both signs, with both zeros; at one end, or at both, or twice.
    const float weight = float(int(random() % std::uint64_t(weights)) - weights / 3) * 0.25f;
    edges.push_back({a, b, random() % 2 ? weight : weight + 0.f});
    if (random() % 2) edges.push_back({b, a, weight});
    if (random() % 16 == 0) edges.push_back({a, b, -weight});
  }
  return edges;
}

}  // namespace

TEST_CASE("spanning forests are Kruskal's, whatever the graph", "[hierarchy][gpu][few]") {
  std::mt19937_64 random(21);
  for (const auto& device : test::devices()) {
    CAPTURE(device);
    for (const int weights : {1, 3, 1000, 1 << 20})
      for (const std::size_t count : {0u, 1u, 40u, 150u, 3000u}) {
        CAPTURE(weights, count);
        check(150, random_edges(150, count, weights, random), device);
      }
    check(0, {}, device);
    check(1, {}, device);
    check(1, {{0, 0, 1}}, device);
    check(2, {{1, 0, -0.f}, {0, 1, 0.f}}, device);
  }
}

TEST_CASE("spanning forests of large graphs are found in few rounds", "[hierarchy][gpu]") {
  std::mt19937_64 random(22);
  const std::uint32_t side = test::sized(400u, 100u), vertices = side * side;
  std::vector<Edge> lattice, path, star;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    // All of one weight: the order of ids alone decides.
    if (v % side + 1 < side) lattice.push_back({v, v + 1, 1});
    if (v + side < vertices) lattice.push_back({v, v + side, 1});
    if (v > 0) path.push_back({v - 1, v, float(v)});
    if (v > 0) star.push_back({0, v, float(random() % 1000)});
  }
  for (const auto& device : test::devices()) {
    CAPTURE(device);
    check(vertices, lattice, device);
    check(vertices, path, device);
    check(vertices, star, device);
    check(vertices, random_edges(vertices, 3 * vertices, 1 << 20, random), device);
  }
}

TEST_CASE("what is no graph is refused", "[hierarchy][gpu]") {
  for (const auto& device : test::devices()) {
    const auto fault = [&](const Graph& graph) -> std::string {
      try {
        make_spanning_forest(device, graph, Spanning::Minimum);
      } catch (const Error& error) {
        return error.what();
      }
      return {};
    };
    CHECK(fault({{0, 1, 1}, {2}, {1}}) == "graph: an edge names vertex 2 of 2");
    CHECK(fault({{0, 1, 1}, {1}, {}}) == "graph: there are 0 weights of 1 edges");
    CHECK(fault({{0, 1, 1}, {1}, {std::nanf("")}}) ==
          "graph: an edge's weight is not a finite number");
    const std::string rows = "graph: the rows do not ascend from 0 to the number of edges, 1";
    CHECK(fault({{0, 1, 2}, {1}, {1}}) == rows);
    CHECK(fault({{0, 2, 1}, {1}, {1}}) == rows);
    CHECK(fault({{}, {1}, {1}}) == rows);
  }
}
