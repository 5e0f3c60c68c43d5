#pragma once

#include "compute/hierarchy/dendrogram.h"

#include <cstdint>
#include <vector>

// The condensed tree of a hierarchy: its clusters of at least some size, where splits that lose
// fewer points are no splits, but points that fall out (Campello et al. 2013; McInnes and Healy
// 2017, §2.3).
namespace haloscope::compute::clusters {

// λ is one over a height, infinite at height 0.
struct CondensedTree {
  // Of each cluster. The first is the root; parents stand before their children, and the two
  // clusters of one split side by side.
  std::vector<std::uint32_t> parent;  // hierarchy::kNone for the root
  std::vector<std::uint32_t> size;    // points at its birth
  std::vector<double> birth;          // λ at which it splits off its parent; the root's is 0
  // Of each point: the cluster that it falls out of, and the λ where it does.
  std::vector<std::uint32_t> point_cluster;
  std::vector<double> point_lambda;
  // Of each cluster at its birth, and of each point; empty: every point weighs 1.
  std::vector<double> weight, point_weight;

  std::size_t clusters() const { return parent.size(); }
  double weight_of(std::size_t cluster) const {
    return weight.empty() ? double(size[cluster]) : weight[cluster];
  }
  double weight_of_point(std::size_t point) const {
    return point_weight.empty() ? 1 : point_weight[point];
  }
};

// Condenses the dendrogram of a tree whose edges have these heights by rank, not descending.
// `min_cluster_size` is 2 or more. A set of fewer points, and of none, is a root alone. Takes time
// and memory O(points), on this core.
CondensedTree condense(const hierarchy::Dendrogram& dendrogram, const std::vector<double>& height,
                       std::uint32_t min_cluster_size);

// The same for points that have weights (point_weights.h): the sum of weights is what a cluster
// needs `least` of. A cluster has two points or more, however much one weighs. `point_weight` is
// empty where every point weighs 1; `least` is above 1. Sums of weights are exact, so that nothing
// depends on an order.
CondensedTree condense(const hierarchy::Dendrogram& dendrogram, const std::vector<double>& height,
                       double least, std::vector<double> point_weight);

// Throws Error unless clusters of the condensed tree can have this least size, above 1.
void require_least_size(double least);

// What a selection of clusters asks of a condensed tree, without its points.
struct ClusterTotals {
  std::vector<std::uint32_t> parent, size;  // as in CondensedTree
  std::vector<double> birth, weight;        // as there
  std::vector<double> death;  // the largest λ at which points leave the cluster, or it splits
  // The sum of (λ − birth) over its points, where λ is that at which a point falls out, or at which
  // the cluster splits; of points that have weights, each times its weight. Without weights it
  // depends on no order, to the bit (excess_sum.h).
  std::vector<double> stability;

  std::size_t clusters() const { return parent.size(); }
  double weight_of(std::size_t cluster) const {
    return weight.empty() ? double(size[cluster]) : weight[cluster];
  }
};
ClusterTotals totals_of(const CondensedTree& tree);

}  // namespace haloscope::compute::clusters
