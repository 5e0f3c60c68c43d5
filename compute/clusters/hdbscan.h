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

// Selects clusters and says to which each point belongs, and how much. What the reference
// implementation does where the papers are silent is done here too: probabilities are λ over the
// largest λ at which anything leaves the cluster itself; a root that is selected alone keeps the
// points of its largest λ, or those beyond `epsilon`.
HdbscanClusters select_clusters(const CondensedTree& tree, const HdbscanSettings& settings);

}  // namespace haloscope::compute::clusters
