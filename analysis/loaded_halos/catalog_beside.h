#pragma once

#include "core/snapshot_info.h"

#include <optional>
#include <string>

namespace haloscope::analysis {

// The halo catalog that belongs to a snapshot by its name: fof_subhalo_tab_012 beside
// snapshot_012, or in the folder groups_012 beside snapdir_012; else a file in the snapshot's
// folder whose name begins with the snapshot's, or has its last number, and which tells that it is
// a catalog. Nothing where there is none; of several the first by name. Never throws.
std::optional<std::string> catalog_beside(const SnapshotInfo& info);

}  // namespace haloscope::analysis
