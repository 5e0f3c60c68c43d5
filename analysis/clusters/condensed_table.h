#pragma once

#include "analysis/clusters/cluster_search.h"
#include "core/halo_catalog.h"
#include "core/snapshot_info.h"

#include <cstdint>

namespace haloscope::analysis {

// Every cluster of the condensed tree of a snapshot as a row of a table Subhalo: selected or not,
// with its parent, depth and persistence, and those properties of halos that are sums over members,
// which take the time of one pass over the particles however deep clusters lie in one another. Row
// n is cluster n of the tree, the first that of all particles. Units are those of `groups`, the
// table of the clusters that were selected. The search has a condensed tree.
HaloTable condensed_table(const ClusterSearch& search, const SnapshotInfo& info,
                          const HaloTable& groups);

// Bytes of host memory that it takes for each cluster, at most.
inline constexpr std::uint64_t kCondensedTableBytes = 400;

}  // namespace haloscope::analysis
