#pragma once

#include "analysis/clusters/find_clusters.h"
#include "core/halo_catalog.h"

namespace haloscope::analysis {

// Adds to a table of clusters what HDBSCAN*'s selection says of each: its persistence, and its
// number in the condensed tree. Nothing for clusters of a cut.
void add_selection_columns(const FoundClusters& clusters, HaloTable& table);

}  // namespace haloscope::analysis
