#pragma once

#include "compute/topology/grid.h"
#include "compute/topology/ordered_bits.h"

#include <cstdint>
#include <optional>

// What is asked of a merge tree.
namespace haloscope::compute::topology {

// Cells are numbered in 32 bits.
inline constexpr std::uint64_t kMostCells = (std::uint64_t(1) << 32) - 2;
inline constexpr std::uint32_t kNoBranch = ~0u;

struct TreeSettings {
  Connectivity connectivity = Connectivity::Fourteen;
  Levels levels = Levels::Super;
  // Cells below it are left out as if they were not there (sublevels: above it). Components that
  // meet nowhere above it stay apart.
  std::optional<double> threshold;
};

// Throws Error unless there is a tree of such a grid.
void require_grid(const ScalarGrid& grid, const TreeSettings& settings);
[[noreturn]] void refuse_nan(const GridShape& shape, std::uint64_t cell);

// The values that are looked at.
KeptRange kept_range(ValueKind kind, const TreeSettings& settings);

}  // namespace haloscope::compute::topology
