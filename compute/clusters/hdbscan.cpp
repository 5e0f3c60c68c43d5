#include "compute/clusters/hdbscan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haloscope::compute::clusters {

using hierarchy::kNone;

namespace {

class ClusterSelector {
 public:
  ClusterSelector(const CondensedTree& tree, const HdbscanSettings& settings)
      : tree_(tree), settings_(settings), stability_(stabilities(tree)) {
    const std::size_t clusters = tree.clusters();
    splits_.assign(clusters, false);
    for (std::size_t c = 1; c < clusters; ++c) splits_[tree.parent[c]] = true;
    // The largest λ at which points leave a cluster, or it splits.
    death_.assign(clusters, 0);
    for (std::size_t p = 0; p < tree.point_cluster.size(); ++p)
      raise(death_[tree.point_cluster[p]], tree.point_lambda[p]);
    for (std::size_t c = 1; c < clusters; ++c) raise(death_[tree.parent[c]], tree.birth[c]);
  }

  HdbscanClusters select() {
    if (settings_.selection == Selection::Leaf)
      select_leaves();
    else
      select_by_mass();
    if (settings_.epsilon > 0) join_up_to_epsilon();
    HdbscanClusters found;
    label(found);
    score(found);
    return found;
  }

 private:
  static void raise(double& most, double value) { most = std::max(most, value); }

  bool may_be_selected(std::size_t c) const { return c != 0 || settings_.allow_single_cluster; }

  void select_leaves() {
    selected_.assign(tree_.clusters(), false);
    for (std::size_t c = 1; c < selected_.size(); ++c) selected_[c] = !splits_[c];
  }

  void select_by_mass() {
    const std::size_t clusters = tree_.clusters();
    selected_.assign(clusters, false);
    const double most = settings_.max_cluster_size > 0 ? double(settings_.max_cluster_size)
                                                       : std::numeric_limits<double>::infinity();
    std::vector<double> best = stability_, below(clusters, 0);
    for (std::size_t c = clusters; c-- > 0;) {
      const bool children_are_better = below[c] > stability_[c] || tree_.weight_of(c) > most;
      selected_[c] = may_be_selected(c) && !children_are_better;
      if (children_are_better) best[c] = below[c];
      if (c > 0) below[tree_.parent[c]] += best[c];
    }
    // A cluster that `epsilon` puts in the place of its children persists as they do.
    stability_ = std::move(best);
    // Of selected ones in one another the outermost.
    std::vector<bool> inside(clusters, false);
    for (std::size_t c = 1; c < clusters; ++c) {
      inside[c] = inside[tree_.parent[c]] || selected_[tree_.parent[c]];
      if (inside[c]) selected_[c] = false;
    }
  }

  void join_up_to_epsilon() {
    if (selected_[0]) return;
    std::vector<bool> joined(selected_.size(), false);
    for (std::size_t c = 1; c < selected_.size(); ++c)
      if (selected_[c])
        joined[1 / tree_.birth[c] < settings_.epsilon ? ancestor_beyond_epsilon(c) : c] = true;
    selected_ = std::move(joined);
  }

  std::size_t ancestor_beyond_epsilon(std::size_t c) const {
    for (;;) {
      const std::size_t above = tree_.parent[c];
      if (above == 0) return settings_.allow_single_cluster ? 0 : c;
      if (1 / tree_.birth[above] > settings_.epsilon) return above;
      c = above;
    }
  }

  void label(HdbscanClusters& found) const {
    const std::size_t clusters = tree_.clusters(), points = tree_.point_cluster.size();
    // The selected cluster around each cluster. The root is one only where it is alone.
    const bool root_alone =
        selected_[0] && std::count(selected_.begin(), selected_.end(), true) == 1;
    std::vector<std::uint32_t> around(clusters, root_alone ? 0 : kNone);
    for (std::size_t c = 1; c < clusters; ++c)
      around[c] = selected_[c] ? std::uint32_t(c) : around[tree_.parent[c]];
    std::vector<std::uint32_t> number(clusters, kNoCluster);
    found.label.assign(points, kNoCluster);
    found.probability.assign(points, 0);
    std::vector<double> weights;
    for (std::size_t p = 0; p < points; ++p) {
      const std::uint32_t c = around[tree_.point_cluster[p]];
      if (c == kNone || (root_alone && !stays_in_root(p))) continue;
      if (number[c] == kNoCluster) {
        number[c] = std::uint32_t(found.cluster.size());
        found.cluster.push_back(c);
        weights.push_back(0);
      }
      found.label[p] = number[c];
      weights[number[c]] += tree_.weight_of_point(p);
      const double lambda = tree_.point_lambda[p], most = death_[c];
      found.probability[p] = most == 0 || std::isinf(lambda) ? 1 : std::min(lambda, most) / most;
    }
    double highest = 0;
    for (const double death : death_) raise(highest, death);
    for (std::size_t k = 0; k < weights.size(); ++k)
      found.persistence.push_back(highest == 0 || std::isinf(highest)
                                      ? 1
                                      : stability_[found.cluster[k]] / (weights[k] * highest));
  }

  bool stays_in_root(std::size_t p) const {
    const double lambda = tree_.point_lambda[p];
    return settings_.epsilon > 0 ? lambda >= 1 / settings_.epsilon : lambda >= death_[0];
  }

  // The largest λ within a cluster, those below it included.
  void score(HdbscanClusters& found) const {
    std::vector<double> highest = death_;
    for (std::size_t c = highest.size(); c-- > 1;) raise(highest[tree_.parent[c]], highest[c]);
    for (std::size_t p = 0; p < tree_.point_cluster.size(); ++p) {
      const double most = highest[tree_.point_cluster[p]], lambda = tree_.point_lambda[p];
      double score = 1;  // beside points that coincide
      if (most == 0 || std::isinf(lambda))
        score = 0;
      else if (!std::isinf(most))
        score = (most - lambda) / most;
      found.outlier_score.push_back(score);
    }
  }

  const CondensedTree& tree_;
  const HdbscanSettings& settings_;
  std::vector<double> stability_, death_;
  std::vector<bool> splits_, selected_;
};

}  // namespace

HdbscanClusters select_clusters(const CondensedTree& tree, const HdbscanSettings& settings) {
  return ClusterSelector(tree, settings).select();
}

}  // namespace haloscope::compute::clusters
