#pragma once

#include "analysis/clusters/clusters_options.h"
#include "analysis/clusters/find_clusters.h"
#include "core/halo_catalog.h"

#include <optional>
#include <string>
#include <vector>

// What is told of a search for clusters, of a snapshot and of a table alike.
namespace haloscope::analysis {

// What a tree of cuSLINK is not; empty for exact ones.
std::string graph_in_words(const ClusterHierarchy& hierarchy);

// "12 clusters of 20 points or more hold 800 of 1000 dm particles"; `points`: what these are.
std::string clusters_in_words(const FoundClusters& found, const ClustersOptions& options,
                              const std::string& points);

// A sentence where heights are not what clusters could be told by: all points lie at one place.
std::optional<std::string> odd_heights(const FoundClusters& found, const std::string& points);

// "dm particles", "gas and dm particles", "stars", of the names of types.
std::string particles_in_words(const std::vector<std::string>& types);

// What every file tells of its origin. `assumed`: sentences, with options as flags of the command
// line.
CatalogProvenance cluster_provenance(const ClustersOptions& options, const FoundClusters& found,
                                     const std::vector<std::string>& files,
                                     const std::vector<std::string>& assumed);

}  // namespace haloscope::analysis
