#pragma once

#include "compute/exec/ranks.h"
#include "core/snapshot_info.h"

namespace haloscope::analysis {

// Throws Error, the same on all ranks, where they see different snapshots. All ranks call it.
void require_same_snapshot(compute::Ranks& ranks, const SnapshotInfo& info);

}  // namespace haloscope::analysis
