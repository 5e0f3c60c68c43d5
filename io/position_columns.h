#pragma once

#include "core/array.h"
#include "core/domain.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// Where positions are stored, and which of them are kept.
struct PositionFrame {
  Domain domain;
  // Positions outside are left out; only for a domain that is not periodic.
  std::array<double, 3> low{0, 0, 0}, high{0, 0, 0};
};

// The periodic box, or a cube twice as wide as the bounding cube of all positions of the types.
// One stray particle must not eat the others' resolution: where the bounding cube is wider than
// 4096 times the extent of the central 99.8 % (of a sample), that many times this extent is covered
// and the rest left out. Reads the positions once where the box is not periodic. Throws Error when
// no position is finite.
PositionFrame choose_frame(const SnapshotReader& reader, const std::vector<int>& types,
                           Progress& progress);

struct PositionColumns {
  std::array<Array<std::uint32_t>, 3> position;  // of all rows; rejected ones hold no meaning
  std::vector<std::uint64_t> rejected;           // rows, ascending
  std::uint64_t not_finite = 0;                  // of the rejected; the others lie too far out
  std::uint64_t wrapped = 0;                     // outside a periodic box
  std::uint64_t far_outside = 0;                 // of the wrapped: by more than a whole box
};

// Reads one type's positions straight into fixed point, in one pass.
PositionColumns read_positions(const SnapshotReader& reader, int type, const PositionFrame& frame,
                               Progress& progress);

}  // namespace haloscope::io
