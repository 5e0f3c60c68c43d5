#pragma once

#include "io/snapshot_reader.h"

#include <memory>
#include <string>

namespace haloscope::app {

// io::open_snapshot for a command with --allow-missing-files: its error names that option where it
// would help.
std::unique_ptr<io::SnapshotReader> open_snapshot(const std::string& path,
                                                  bool allow_missing_files);

}  // namespace haloscope::app
