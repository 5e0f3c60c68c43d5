#pragma once

#include "io/snapshot_reader.h"

#include <memory>
#include <string>

namespace haloscope::io {

// An HDF5 file without particle groups that has an N x 3 dataset of numbers in its root: opened as
// type 1 ("dm"), with the root's other datasets of N rows as fields; no box, units unknown. Null
// where `path` is anything else; Error where several such datasets leave the choice open.
std::unique_ptr<SnapshotReader> open_bare_positions(const std::string& path,
                                                    const OpenOptions& options);

}  // namespace haloscope::io
