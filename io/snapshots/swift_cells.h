#pragma once

#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// A cell of SWIFT's /Cells: where its particles of one type are in space, and in the snapshot.
struct SwiftCell {
  std::array<double, 3> low{}, high{};
  RowRange rows;  // over all files
};

// The cells of a type that have particles, in the order of their rows. `files` make up the
// snapshot, counts[i] particles of the type being in files[i]; `whole` is the file that describes
// all of them (the first, or the virtual one).
//
// Empty where there is no /Cells. Where it is there but its cells do not cover the rows exactly
// once, `contradiction` is set: such an index must not be used.
std::vector<SwiftCell> read_swift_cells(const std::string& whole,
                                        const std::vector<std::string>& files, int type,
                                        const std::vector<std::uint64_t>& counts,
                                        bool& contradiction);

// Rows of the cells that meet the region, ascending and disjoint; `period` is the box's side, 0
// where it is not periodic.
std::vector<RowRange> rows_of_cells(const std::vector<SwiftCell>& cells, const Region& region,
                                    double period);

}  // namespace haloscope::io
