#pragma once

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/clusters_options.h"
#include "analysis/clusters/size_choice.h"
#include "compute/brute_force/rows.h"
#include "compute/clusters/spanning_tree.h"
#include "compute/exec/device.h"
#include "compute/spatial/points.h"
#include "core/progress.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::compute {
class Ranks;
}

namespace haloscope::analysis {

// Points that clusters are looked for among: of a snapshot or of a table.
struct ClusterPoints {
  // On the host, or, where there are sets, in these on the device.
  compute::clusters::LatticePoints columns;
  std::vector<std::shared_ptr<const compute::spatial::PointSet>> sets;
  // In place of both for cuSLINK in many dimensions; in world lengths.
  compute::brute_force::Rows rows;
  double step = 1;                       // world length of a lattice step
  std::string length_unit, numbering;    // cluster_hierarchy.h
  std::vector<PointsOfType> types;       // the same
  std::optional<double> spacing;         // the same: its mean spacing
  bool spacing_is_rough = false;         // the same
  std::function<double()> mean_spacing;  // world length; throws Error where there is none
  // Of each point, in a unit of the caller's, finite and 0 or more; empty: all are alike.
  std::vector<double> weights;

  std::uint64_t count() const;
};

// Clusters are numbered from 0 in the order of their first points.
struct FoundClusters {
  std::shared_ptr<const ClusterHierarchy> hierarchy;
  // Of HDBSCAN*'s own clusters; null: of others.
  std::shared_ptr<const compute::clusters::CondensedTree> condensed;
  std::vector<std::uint32_t> label;    // of each point; Labels::kNone: in no cluster
  std::vector<std::uint64_t> members;  // of each cluster
  // The labels of a cut where the tree is on a GPU, there; null: they are only here.
  std::shared_ptr<const compute::ResidentLabels> resident;
  // Of HDBSCAN*'s own clusters alone.
  std::vector<double> probability, outlier_score;  // of each point
  std::vector<double> persistence;                 // of each cluster
  std::vector<std::uint32_t> node;                 // of each cluster, in the condensed tree
  std::optional<double> cut_height;                // of a cut, world lengths
  // The fewest points of a cluster; of points that have weights, their least sum.
  double least = 1;
  // Of points that have weights: the mean, in the unit of these, and the sum of each cluster's in
  // units of the mean. 0 and empty: they have none.
  double mean_weight = 0;
  std::vector<double> weight;
  // How the least size was chosen; null: it was given.
  std::shared_ptr<const SizeChoice> sizes;
  // Labels of each of its resolutions, where they were asked for; the first are those above.
  std::vector<std::vector<std::uint32_t>> resolutions;

  std::uint64_t count() const { return members.size(); }
};

// Makes the tree of the points and takes from it what the options ask. Without a cut, single
// linkage has no labels. Throws OptionError for options that do not fit the points, Error where
// memory does not suffice, and Cancelled. `known`: the tree of these points for options of the same
// tree (clusters_options.h), which is not made again; null: it is made. `ranks`: rank 0 calls it,
// with all points on the host, and the others help_with_tree().
FoundClusters find_clusters(const ClusterPoints& points, const ClustersOptions& options,
                            compute::Device device, Progress& progress,
                            std::shared_ptr<const ClusterHierarchy> known = nullptr,
                            compute::Ranks* ranks = nullptr);

// What the other ranks do while rank 0 finds clusters, each on its own device: once for each tree
// that is made.
void help_with_tree(compute::Ranks& ranks, compute::Device device, Progress& progress);
// Throws OptionError for what several ranks cannot be asked.
void require_for_ranks(const ClustersOptions& options, bool gpus_of_one_process = false);

// Takes from a tree that was made what the options ask, in time O(points) and without the points.
// Points count by the tree's weights where the options name any, and else all alike.
// Labels of a cut may be on a GPU alone. `mean_spacing` as in edges_of_cut(). Throws OptionError
// for a cut above the last merge.
FoundClusters clusters_of_tree(std::shared_ptr<const ClusterHierarchy> hierarchy,
                               const ClustersOptions& options,
                               const std::function<double()>& mean_spacing);

// Bytes of host memory: that a search takes, and what of it stays.
std::uint64_t bytes_of_search(std::uint64_t points, compute::Device device);
std::uint64_t bytes_kept(std::uint64_t points);
// Beside both, what weights and labels of further resolutions take.
std::uint64_t bytes_of_extras(std::uint64_t points, const ClustersOptions& options);
// Beside what stays, that writing takes at most; `linkage`: with the linkage matrix.
std::uint64_t bytes_of_writing(std::uint64_t points, const ClustersOptions& options, bool linkage);
// Throws Error where the host has not the memory for what stays and for writing it.
void require_memory_to_write(std::uint64_t points, const ClustersOptions& options, bool linkage,
                             const std::string& remedy = "choose fewer points");

// Throws OptionError where no search with these options can be made of so many points.
void require_points(std::uint64_t count, const ClustersOptions& options);

}  // namespace haloscope::analysis
