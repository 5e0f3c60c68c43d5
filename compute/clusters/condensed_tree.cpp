#include "compute/clusters/condensed_tree.h"

#include "compute/clusters/excess_sum.h"
#include "core/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace haloscope::compute::clusters {

using hierarchy::kNone;

namespace {

double lambda_of(double height) {
  return height > 0 ? 1 / height : std::numeric_limits<double>::infinity();
}

// The sum of the weights in each edge's cluster.
std::vector<double> weights_of_edges(const hierarchy::Dendrogram& dendrogram,
                                     const std::vector<double>& point_weight) {
  std::vector<double> weight(dendrogram.edge_parent.size(), 0);
  for (std::size_t p = 0; p < point_weight.size() && !weight.empty(); ++p)
    weight[dendrogram.point_parent[p]] += point_weight[p];
  for (std::size_t e = 0; e < weight.size(); ++e)
    if (dendrogram.edge_parent[e] != kNone) weight[dendrogram.edge_parent[e]] += weight[e];
  return weight;
}

}  // namespace

void require_least_size(double least) {
  if (!(least > 1))
    throw Error("a cluster has 2 points or more, and its least size is " + std::to_string(least),
                "clusters");
}

CondensedTree condense(const hierarchy::Dendrogram& dendrogram, const std::vector<double>& height,
                       std::uint32_t min_cluster_size) {
  return condense(dendrogram, height, double(min_cluster_size), {});
}

CondensedTree condense(const hierarchy::Dendrogram& dendrogram, const std::vector<double>& height,
                       double least, std::vector<double> point_weight) {
  require_least_size(least);
  const std::size_t points = dendrogram.point_parent.size(), edges = height.size();
  if (!point_weight.empty() && point_weight.size() != points)
    throw Error(std::to_string(point_weight.size()) + " weights are not those of " +
                    std::to_string(points) + " points",
                "clusters");
  if (edges != (points > 0 ? points - 1 : 0) || dendrogram.edge_parent.size() != edges)
    throw Error(
        std::to_string(edges) + " edges are no tree of " + std::to_string(points) + " points",
        "clusters");
  CondensedTree tree;
  tree.parent = {kNone};
  tree.size = {std::uint32_t(points)};
  tree.birth = {0};
  tree.point_cluster.assign(points, 0);
  tree.point_lambda.assign(points, 0);
  if (points == 1) tree.point_lambda[0] = std::numeric_limits<double>::infinity();
  const bool weighted = !point_weight.empty();
  std::vector<double> edge_weight;
  if (weighted) {
    edge_weight = weights_of_edges(dendrogram, point_weight);
    tree.weight = {edges > 0 ? edge_weight.back() : point_weight[0]};
    tree.point_weight = std::move(point_weight);
  }
  const auto is_large = [&](std::uint32_t edge) {
    return (weighted ? edge_weight[edge] : double(dendrogram.size[edge])) >= least;
  };

  // The edges below each edge that make clusters of enough points, the smaller rank first.
  std::vector<std::array<std::uint32_t, 2>> large(edges, {kNone, kNone});
  for (std::uint32_t e = 0; e < edges; ++e) {
    const std::uint32_t above = dendrogram.edge_parent[e];
    if (above == kNone || !is_large(e)) continue;
    large[above][large[above][0] == kNone ? 0 : 1] = e;
  }
  // The cluster of each large edge, and for a small one the large edge at which it falls out.
  std::vector<std::uint32_t> cluster(edges, 0), falls_at(edges, kNone);
  for (std::size_t k = edges; k-- > 0;) {
    const auto e = std::uint32_t(k);
    const std::uint32_t above = dendrogram.edge_parent[e];
    if (above != kNone && !is_large(e)) {
      falls_at[e] = falls_at[above];
      continue;
    }
    falls_at[e] = e;
    const auto [first, second] = large[e];
    if (first == kNone) continue;
    if (second == kNone) {
      cluster[first] = cluster[e];
      continue;
    }
    for (const std::uint32_t child : large[e]) {
      cluster[child] = std::uint32_t(tree.clusters());
      tree.parent.push_back(cluster[e]);
      tree.size.push_back(dendrogram.size[child]);
      if (weighted) tree.weight.push_back(edge_weight[child]);
      tree.birth.push_back(lambda_of(height[e]));
    }
  }
  for (std::size_t p = 0; p < points && edges > 0; ++p) {
    const std::uint32_t at = falls_at[dendrogram.point_parent[p]];
    tree.point_cluster[p] = cluster[at];
    tree.point_lambda[p] = lambda_of(height[at]);
  }
  return tree;
}

namespace {

// Of points that have weights, in the order of the points.
std::vector<double> weighted_stabilities(const CondensedTree& tree) {
  std::vector<double> stability(tree.clusters(), 0);
  for (std::size_t p = 0; p < tree.point_cluster.size(); ++p) {
    const std::uint32_t c = tree.point_cluster[p];
    // What weighs nothing adds nothing, where λ is infinite too.
    if (const double weight = tree.weight_of_point(p); weight > 0)
      stability[c] += excess(tree.birth[c], tree.point_lambda[p]) * weight;
  }
  for (std::size_t c = 1; c < tree.clusters(); ++c) {
    const std::uint32_t above = tree.parent[c];
    stability[above] += excess(tree.birth[above], tree.birth[c]) * tree.weight_of(c);
  }
  return stability;
}

std::vector<double> exact_stabilities(const CondensedTree& tree, const std::vector<double>& death) {
  const std::size_t clusters = tree.clusters();
  std::vector<ExcessSum> sums(clusters);
  std::vector<int> exponent(clusters, 0);
  for (std::size_t c = 0; c < clusters; ++c)
    if (std::isfinite(death[c])) exponent[c] = excess_exponent(death[c]);
  const auto add = [&](std::uint32_t c, double lambda, std::uint32_t points) {
    if (std::isfinite(death[c])) sums[c].add(excess(tree.birth[c], lambda), points, exponent[c]);
  };
  for (std::size_t p = 0; p < tree.point_cluster.size(); ++p)
    add(tree.point_cluster[p], tree.point_lambda[p], 1);
  for (std::size_t c = 1; c < clusters; ++c) add(tree.parent[c], tree.birth[c], tree.size[c]);
  std::vector<double> stability(clusters);
  for (std::size_t c = 0; c < clusters; ++c)
    stability[c] = excess_of(sums[c], tree.birth[c], death[c]);
  return stability;
}

}  // namespace

ClusterTotals totals_of(const CondensedTree& tree) {
  ClusterTotals totals{tree.parent, tree.size, tree.birth, tree.weight, {}, {}};
  const auto raise = [](double& most, double value) { most = std::max(most, value); };
  totals.death.assign(tree.clusters(), 0);
  for (std::size_t p = 0; p < tree.point_cluster.size(); ++p)
    raise(totals.death[tree.point_cluster[p]], tree.point_lambda[p]);
  for (std::size_t c = 1; c < tree.clusters(); ++c)
    raise(totals.death[tree.parent[c]], tree.birth[c]);
  totals.stability =
      tree.weight.empty() ? exact_stabilities(tree, totals.death) : weighted_stabilities(tree);
  return totals;
}

}  // namespace haloscope::compute::clusters
