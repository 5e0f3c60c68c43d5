#pragma once

#include "analysis/snapshot/snapshot_options.h"
#include "io/loading/sidecar.h"

#include <vector>

namespace haloscope::analysis {

// What these options and the lines of a sidecar file come to; the options win. Throws Error for
// mistakes in the lines, naming each one's place.
io::OpenOptions merge_entries(std::vector<io::SidecarEntry> entries,
                              const SnapshotOptions& options);

}  // namespace haloscope::analysis
