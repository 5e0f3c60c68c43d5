#pragma once

#include "core/domain.h"
#include "core/progress.h"
#include "io/loading/read_together.h"
#include "io/loading/row_map.h"
#include "io/snapshot_reader.h"

#include <array>
#include <map>

namespace haloscope::io {

// Where positions are stored, and which of them are kept.
struct PositionFrame {
  Domain domain;
  // Positions outside are left out; only for a domain that is not periodic.
  std::array<double, 3> low{0, 0, 0}, high{0, 0, 0};
};

// The periodic box, or a cube twice as wide as the bounding cube of all positions that are kept.
// One stray particle must not eat the others' resolution: where the bounding cube is wider than
// 4096 times the extent of the central 99.8 % (of a sample), that many times this extent is covered
// and the rest left out. Reads the positions once where the box is not periodic. Throws Error when
// no position is finite. `rows` by type. `together`: `rows` are this process's part, and the frame
// is that of all parts.
PositionFrame choose_frame(const SnapshotReader& reader, const std::map<int, RowMap>& rows,
                           Progress& progress, const ReadTogether* together = nullptr);

}  // namespace haloscope::io
