#pragma once

#include "analysis/clusters/clusters_options.h"
#include "analysis/clusters/find_clusters.h"
#include "analysis/halos/halo_search.h"
#include "analysis/snapshot/resident_points.h"
#include "compute/exec/device.h"
#include "core/labels.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

struct ClusterSearchRequest {
  ClustersOptions options;
  compute::Device device;
  bool measured = true;  // clusters are to be measured: masses and velocities are read
  // Where the snapshot's positions are, if they were loaded before; they are not read again then.
  std::shared_ptr<const ResidentPoints> resident;
  // Of a search of the same particles with options of the same tree; null: the tree is made.
  std::shared_ptr<const ClusterHierarchy> tree = nullptr;
  // Of several ranks the first searches, and the others help_with_tree(); null: it is alone.
  compute::Ranks* ranks = nullptr;
};

// Clusters of the particles of a snapshot. Cluster c is halo c of `particles`, by which it is
// measured; its linked types are those that were clustered, in ascending order.
struct ClusterSearch {
  HaloSearch particles;
  FoundClusters clusters;
  // Scales and steps of another space than that of positions, as provenance names them.
  std::vector<std::pair<std::string, double>> space;

  // Of each type the number of its first point.
  std::map<int, std::uint64_t> first_point() const;
};

// Reads what the search and its catalog need, and searches. Throws Error in the user's words,
// OptionError where these name options, and Cancelled.
ClusterSearch search_clusters(const io::SnapshotReader& reader, const ClusterSearchRequest& request,
                              Progress& progress);

// The types whose particles are clustered, ascending.
std::vector<int> clustered_types(const SnapshotInfo& info, const ClustersOptions& options);

// Throws Error where options and snapshot do not fit, as far as the snapshot's header tells.
void check_snapshot(const SnapshotInfo& info, const ClustersOptions& options);

}  // namespace haloscope::analysis
