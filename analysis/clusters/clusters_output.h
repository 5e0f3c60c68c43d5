#pragma once

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/clusters_options.h"
#include "analysis/finding.h"
#include "analysis/snapshot/output_guard.h"
#include "core/progress.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Files of clusters.
namespace haloscope::analysis {

bool is_npy_name(const std::string& path);

// Throws Error unless what such a search finds can be written to `path`: .hdf5 holds all, .csv the
// clusters (of a table its rows), .npy the labels.
void require_clusters_output(const std::string& path, const ClustersOptions& options,
                             const Overwriting& overwriting);

// What a file of clusters of a snapshot holds beside what was found, where it is one that can.
struct ClustersContent {
  bool linkage = false;  // the linkage matrix
  // By type, where particles were selected: the row of the snapshot that each of them is.
  std::map<int, std::vector<std::uint64_t>> rows = {};
};

// Of a snapshot.
void write_clusters(const std::string& path, const Finding& finding,
                    const std::string& command_line, const ClustersContent& content,
                    Progress& progress);

// Throws Error unless a linkage matrix can be written to `path`.
void require_linkage_output(const std::string& path, const Overwriting& overwriting);
// SciPy's linkage matrix alone, as .npy.
void write_linkage(const std::string& path, const ClusterHierarchy& hierarchy, Progress& progress);

}  // namespace haloscope::analysis
