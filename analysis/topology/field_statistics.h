#pragma once

#include "compute/exec/ranks.h"
#include "compute/topology/grid.h"
#include "core/grid.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace haloscope::analysis {

// What thresholds are counted in, of the cells that hold finite numbers. Sums run in an order of
// their own, so that they do not depend on threads.
struct FieldStatistics {
  double mean = 0, deviation = 0;  // standard
  double lowest = 0, highest = 0;
  std::uint64_t finite = 0, negative = 0;  // cells
};

// Functions that take ranks want a grid of which each rank has the values of its own planes
// (compute/distributed/grid_slabs.h), and the cells of all; all ranks call them, and all get what
// one process would.

// Throws Error, naming the first cell, where one is no number or +inf, and where none is finite:
// -inf is the logarithm of an empty cell.
FieldStatistics measure_field(const Grid& grid, compute::Ranks& ranks = compute::alone());

// The cell to which a sweep comes last.
std::uint64_t last_cell(const Grid& grid, compute::topology::Levels levels,
                        compute::Ranks& ranks = compute::alone());

// The decimal logarithm of each cell, -inf of 0, of values that are not below 0: in float64, of a
// grid of float32 in float32.
Grid logarithm_of(const Grid& grid);

// Calls use(values) with the span of the grid's values, in their own type: over ranks of those that
// this rank has.
template <class Use>
auto with_values(const Grid& grid, const Use& use) {
  return with_grid_type(grid.scalar, [&](auto zero) {
    using T = decltype(zero);
    return use(std::span<const T>(grid.values<T>(), grid.bytes.size() / sizeof(T)));
  });
}

}  // namespace haloscope::analysis
