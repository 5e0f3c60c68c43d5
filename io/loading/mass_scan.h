#pragma once

#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <optional>

namespace haloscope::io {

// Sum of the masses of all particles in code masses: those of blocks are read, those that are one
// number for a type are not. Nothing where the file does not tell those of a type. Throws BadFile
// where they cannot be read.
std::optional<double> scan_masses(const SnapshotReader& reader, Progress& progress);

}  // namespace haloscope::io
