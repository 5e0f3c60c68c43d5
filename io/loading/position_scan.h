#pragma once

#include "core/particles.h"
#include "core/progress.h"
#include "io/loading/row_map.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <map>
#include <vector>

namespace haloscope::io {

// Bytes of positions that scan_positions would read: twice where the box is not periodic.
std::uint64_t scan_bytes(const SnapshotReader& reader);

// Reads the positions of all types that have them, and what tells wind cells from stars, and keeps
// only the counts. Throws BadFile where they cannot be read, Error where none is finite.
std::map<int, LoadCounts> scan_positions(const SnapshotReader& reader, Progress& progress);

// AREPO's wind cells lie among the stars: GFM_StellarFormationTime is 0 or negative. Zero for types
// and codes that do not have them.
std::uint64_t count_wind(const SnapshotReader& reader, int type, const RowMap& rows,
                         Progress& progress);

}  // namespace haloscope::io
