#include "compute/clusters/hdbscan.h"

#include "compute/clusters/membership.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace haloscope::compute::clusters {

using hierarchy::kNone;

namespace {

class ClusterSelector {
 public:
  ClusterSelector(const ClusterTotals& totals, const HdbscanSettings& settings)
      : totals_(totals), settings_(settings), stability_(totals.stability) {
    splits_.assign(totals.clusters(), false);
    for (std::size_t c = 1; c < totals.clusters(); ++c) splits_[totals.parent[c]] = true;
  }

  ChosenClusters choose() {
    if (settings_.selection == Selection::Leaf)
      select_leaves();
    else
      select_by_mass();
    if (settings_.epsilon > 0) join_up_to_epsilon();
    ChosenClusters chosen;
    find_around(chosen);
    chosen.highest = totals_.death;
    for (std::size_t c = chosen.highest.size(); c-- > 1;)
      raise(chosen.highest[totals_.parent[c]], chosen.highest[c]);
    if (!chosen.highest.empty()) chosen.highest_of_all = chosen.highest[0];
    chosen.stability = std::move(stability_);
    return chosen;
  }

 private:
  static void raise(double& most, double value) { most = std::max(most, value); }

  bool may_be_selected(std::size_t c) const { return c != 0 || settings_.allow_single_cluster; }

  void select_leaves() {
    selected_.assign(totals_.clusters(), false);
    for (std::size_t c = 1; c < selected_.size(); ++c) selected_[c] = !splits_[c];
  }

  void select_by_mass() {
    const std::size_t clusters = totals_.clusters();
    selected_.assign(clusters, false);
    const double most = settings_.max_cluster_size > 0 ? double(settings_.max_cluster_size)
                                                       : std::numeric_limits<double>::infinity();
    // A cluster that `epsilon` puts in the place of its children persists as they do.
    std::vector<double>& best = stability_;
    std::vector<double> below(clusters, 0);
    for (std::size_t c = clusters; c-- > 0;) {
      const bool children_are_better = below[c] > best[c] || totals_.weight_of(c) > most;
      selected_[c] = may_be_selected(c) && !children_are_better;
      if (children_are_better) best[c] = below[c];
      if (c > 0) below[totals_.parent[c]] += best[c];
    }
    // Of selected ones in one another the outermost.
    std::vector<bool> inside(clusters, false);
    for (std::size_t c = 1; c < clusters; ++c) {
      inside[c] = inside[totals_.parent[c]] || selected_[totals_.parent[c]];
      if (inside[c]) selected_[c] = false;
    }
  }

  void join_up_to_epsilon() {
    if (selected_[0]) return;
    std::vector<bool> joined(selected_.size(), false);
    for (std::size_t c = 1; c < selected_.size(); ++c)
      if (selected_[c])
        joined[1 / totals_.birth[c] < settings_.epsilon ? ancestor_beyond_epsilon(c) : c] = true;
    selected_ = std::move(joined);
  }

  std::size_t ancestor_beyond_epsilon(std::size_t c) const {
    for (;;) {
      const std::size_t above = totals_.parent[c];
      if (above == 0) return settings_.allow_single_cluster ? 0 : c;
      if (1 / totals_.birth[above] > settings_.epsilon) return above;
      c = above;
    }
  }

  void find_around(ChosenClusters& chosen) const {
    const std::size_t clusters = totals_.clusters();
    // The root is one only where it is alone.
    const bool root_alone =
        selected_[0] && std::count(selected_.begin(), selected_.end(), true) == 1;
    chosen.around.assign(clusters, root_alone ? 0 : kNoCluster);
    for (std::size_t c = 1; c < clusters; ++c)
      chosen.around[c] = selected_[c] ? std::uint32_t(c) : chosen.around[totals_.parent[c]];
    if (root_alone)
      chosen.least_lambda = settings_.epsilon > 0 ? 1 / settings_.epsilon : totals_.death[0];
  }

  const ClusterTotals& totals_;
  const HdbscanSettings& settings_;
  std::vector<double> stability_;
  std::vector<bool> splits_, selected_;
};

}  // namespace

ChosenClusters choose_clusters(const ClusterTotals& totals, const HdbscanSettings& settings) {
  return ClusterSelector(totals, settings).choose();
}

double ChosenClusters::persistence(std::uint32_t cluster, double weight) const {
  if (highest_of_all == 0 || std::isinf(highest_of_all)) return 1;
  return stability[cluster] / (weight * highest_of_all);
}

HdbscanClusters label_points(const CondensedTree& tree, const ClusterTotals& totals,
                             const ChosenClusters& chosen) {
  const std::size_t points = tree.point_cluster.size();
  HdbscanClusters found;
  found.label.assign(points, kNoCluster);
  found.probability.assign(points, 0);
  found.outlier_score.resize(points);
  std::vector<std::uint32_t> number(tree.clusters(), kNoCluster);
  std::vector<double> weights;
  for (std::size_t p = 0; p < points; ++p) {
    const std::uint32_t leaves = tree.point_cluster[p], c = chosen.around[leaves];
    const double lambda = tree.point_lambda[p];
    found.outlier_score[p] = outlier_score_of(lambda, chosen.highest[leaves]);
    if (c == kNoCluster || lambda < chosen.least_lambda) continue;
    if (number[c] == kNoCluster) {
      number[c] = std::uint32_t(found.cluster.size());
      found.cluster.push_back(c);
      weights.push_back(0);
    }
    found.label[p] = number[c];
    weights[number[c]] += tree.weight_of_point(p);
    found.probability[p] = probability_of(lambda, totals.death[c]);
  }
  for (std::size_t k = 0; k < weights.size(); ++k)
    found.persistence.push_back(chosen.persistence(found.cluster[k], weights[k]));
  return found;
}

HdbscanClusters select_clusters(const CondensedTree& tree, const HdbscanSettings& settings) {
  const ClusterTotals totals = totals_of(tree);
  return label_points(tree, totals, choose_clusters(totals, settings));
}

}  // namespace haloscope::compute::clusters
