#pragma once

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/clusters_options.h"
#include "analysis/finding.h"
#include "analysis/snapshot/output_guard.h"
#include "core/progress.h"

#include <string>

// Files of clusters.
namespace haloscope::analysis {

bool is_npy_name(const std::string& path);

// Throws Error unless what such a search finds can be written to `path`: .hdf5 holds all, .csv the
// clusters (of a table its rows), .npy the labels.
void require_clusters_output(const std::string& path, const ClustersOptions& options,
                             const Overwriting& overwriting);

// Of a snapshot. `linkage`: the linkage matrix too, where the file can hold it.
void write_clusters(const std::string& path, const Finding& finding,
                    const std::string& command_line, bool linkage, Progress& progress);

// Throws Error unless a linkage matrix can be written to `path`.
void require_linkage_output(const std::string& path, const Overwriting& overwriting);
// SciPy's linkage matrix alone, as .npy.
void write_linkage(const std::string& path, const ClusterHierarchy& hierarchy, Progress& progress);

}  // namespace haloscope::analysis
