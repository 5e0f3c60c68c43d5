#pragma once

#include "analysis/snapshot/snapshot_options.h"
#include "io/snapshot_reader.h"

#include <memory>
#include <string>

namespace haloscope::analysis {

// io::open_snapshot with what the user said of the snapshot, on the command line and in its sidecar
// file, and with the fields that can be made of its particles (made_fields/); an error about
// missing files names the option that helps.
std::unique_ptr<io::SnapshotReader> open_snapshot(const std::string& path,
                                                  const SnapshotOptions& said);

}  // namespace haloscope::analysis
