#pragma once

#include "compute/exec/ranks.h"
#include "core/snapshot_info.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// What tells files of other contents apart at little cost: how many bytes each has, and a hash of
// blocks of 4 KiB that are evenly spaced in it, 64 of each file, and fewer where there are many
// files or ranks that read them. Files that differ between these blocks alone look the same. Empty
// for a file that cannot be read: whoever reads it next says why.
std::vector<std::string> fingerprints_of(const std::vector<std::string>& files, int ranks);

// Throws Error, on all ranks alike, where they see different snapshots: other numbers of particles,
// or files of other sizes or bytes (fingerprints_of). All ranks call it.
void require_same_snapshot(compute::Ranks& ranks, const SnapshotInfo& info);

}  // namespace haloscope::analysis
