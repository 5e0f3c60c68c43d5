#pragma once

#include "core/array.h"
#include "core/particles.h"
#include "core/progress.h"
#include "io/loading/position_frame.h"
#include "io/loading/row_map.h"
#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace haloscope::io {

struct PositionColumns {
  std::array<Array<std::uint32_t>, 3> position;  // of all kept rows; rejected ones hold no meaning
  std::vector<std::uint64_t> rejected;           // rows of these columns, ascending
  std::vector<std::uint64_t> rejected_in_file;   // the same as rows of the file
  LoadCounts counts;
};

// Reads the positions of a type's kept rows straight into fixed point, in one pass.
PositionColumns read_positions(const SnapshotReader& reader, int type, const RowMap& rows,
                               const PositionFrame& frame, Progress& progress);

// What read_positions would count, without keeping anything; marks the usable rows in `usable`
// where it is given.
LoadCounts check_positions(const SnapshotReader& reader, int type, const RowMap& rows,
                           const PositionFrame& frame, RowMarks* usable, Progress& progress);

}  // namespace haloscope::io
