#pragma once

#include "compute/clusters/condensed_tree.h"

#include <cstdint>
#include <vector>

// Flat clusters of a condensed tree: HDBSCAN* (Campello et al. 2015).
namespace haloscope::compute::clusters {

inline constexpr std::uint32_t kNoCluster = ~0u;

enum class Selection {
  ExcessOfMass,  // those of the most stability of which none holds another
  Leaf           // those that do not split
};

struct HdbscanSettings {
  Selection selection = Selection::ExcessOfMass;
  bool allow_single_cluster = false;  // the root may be selected, which is never a leaf
  // 0: no limit; larger ones are left to their children, before `epsilon` joins these. Of points
  // that have weights their sum.
  std::uint64_t max_cluster_size = 0;
  double epsilon = 0;  // clusters born at a smaller height are taken together up to it; a length
};

struct HdbscanClusters {
  std::vector<std::uint32_t> label;   // of each point, from 0; kNoCluster: noise
  std::vector<double> probability;    // of each point, 0 for noise
  std::vector<double> outlier_score;  // GLOSH, of each point, 0 to 1
  // Of each label, which are numbered by their smallest point.
  std::vector<std::uint32_t> cluster;  // in the condensed tree
  std::vector<double> persistence;     // 0 to 1: stability over that of all its points at the top
};

// Which clusters of a condensed tree are selected. What the reference implementation does where the
// papers are silent is done here too: a root that is selected alone keeps the points of its largest
// λ, or those beyond `epsilon`.
struct ChosenClusters {
  std::vector<std::uint32_t> around;  // the selected one around each cluster; kNoCluster: none is
  double least_lambda = 0;            // points that fall out below it are noise
  std::vector<double> stability;  // of each cluster, or the sum of its children's if that counts
  std::vector<double> highest;    // the largest λ within each cluster, those in it included
  double highest_of_all = 0;

  // Of a selected cluster whose points weigh so much: its stability over that of all of them at the
  // top.
  double persistence(std::uint32_t cluster, double weight) const;
};
ChosenClusters choose_clusters(const ClusterTotals& totals, const HdbscanSettings& settings);

// Says to which of them each point belongs.
HdbscanClusters label_points(const CondensedTree& tree, const ClusterTotals& totals,
                             const ChosenClusters& chosen);

// Selects clusters and says to which each point belongs, and how much: probabilities are λ over the
// largest λ at which anything leaves the cluster itself.
HdbscanClusters select_clusters(const CondensedTree& tree, const HdbscanSettings& settings);

}  // namespace haloscope::compute::clusters
