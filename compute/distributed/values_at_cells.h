#pragma once

#include "compute/exec/ranks.h"

#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// Of a cell that is none, and the answer to it.
inline constexpr std::uint32_t kOutsideGrid = ~std::uint32_t(0);

// What stands in cells of a grid whose planes lie on several ranks (grid_slabs.h). `own`: a value
// for each cell of this rank's planes; `cells`: flat indices in the whole grid, or kOutsideGrid.
// All ranks call it, each with cells of its own. They are asked for in pieces of
// `at_once` of all ranks together: a rank holds 16 bytes for each cell of a piece, and 8 for each
// that it is asked about.
std::vector<std::uint32_t> values_at_cells(Ranks& ranks, std::uint64_t planes,
                                           std::uint64_t cells_of_plane,
                                           std::span<const std::uint32_t> own,
                                           std::span<const std::uint32_t> cells,
                                           std::uint64_t at_once = std::uint64_t(1) << 20);

}  // namespace haloscope::compute::distributed
