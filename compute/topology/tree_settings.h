#pragma once

#include "compute/topology/grid.h"
#include "compute/topology/ordered_bits.h"

#include <cstdint>
#include <optional>

// What is asked of a merge tree.
namespace haloscope::compute::topology {

// Cells are numbered in 32 bits, those of larger grids by blocks (grid_blocks.h).
inline constexpr std::uint64_t kMostCells = (std::uint64_t(1) << 32) - 2;
inline constexpr std::uint32_t kNoBranch = ~0u;

struct TreeSettings {
  Connectivity connectivity = Connectivity::Fourteen;
  Levels levels = Levels::Super;
  // Cells below it are left out as if they were not there (sublevels: above it). Components that
  // meet nowhere above it stay apart.
  std::optional<double> threshold;
  // Larger grids are worked on in blocks of about so many cells (grid_blocks.h); 0: those that 32
  // bits do not number are. The tree is the same.
  std::uint32_t block_cells = 0;
};

// Throws Error unless there is a tree of such a grid.
void require_grid(const ScalarGrid& grid, const TreeSettings& settings);
[[noreturn]] void refuse_nan(const GridShape& shape, std::uint64_t cell);

// The values that are looked at.
KeptRange kept_range(ValueKind kind, const TreeSettings& settings);

}  // namespace haloscope::compute::topology
