#pragma once

#include "compute/exec/ranks.h"
#include "core/array.h"
#include "core/grid.h"

#include <array>
#include <cstdint>

namespace haloscope::analysis {

// What of a larger grid lies between `margin` cells at both ends of each axis.
Array<float> without_margins(const Array<float>& values, const std::array<std::uint64_t, 3>& cells,
                             const std::array<std::uint64_t, 3>& margin);

// The same of planes that lie on several ranks (compute/distributed/grid_slabs.h), all of which
// call it: `own` are those of this rank among all of the larger grid, and what is returned are its
// planes of the smaller one.
Array<float> without_margins(const Array<float>& own, const std::array<std::uint64_t, 3>& cells,
                             const std::array<std::uint64_t, 3>& margin, compute::Ranks& ranks);

// What becomes of a grid's values at last.
struct GridTransform {
  double factor = 1;         // of all values
  bool overdensity = false;  // divide by their mean
  bool log = false;          // then take the decimal logarithm, −inf of 0
};

struct GridSummary {
  double mean = 0;  // before it was divided by and before the logarithm, of cells with a value
  double lowest = 0, highest = 0;
  std::uint64_t empty = 0;    // cells that hold 0
  std::uint64_t unknown = 0;  // cells that hold NaN
};

// Changes values in place; sums run in an order of their own, so that the result does not depend on
// threads, nor on ranks: of several each has its planes, all call it, and the summary is that of
// all. Throws Error where there is no mean to divide by, and for logarithms of negative values.
GridSummary transform_grid(Array<float>& values, const GridTransform& transform,
                           compute::Ranks& ranks = compute::alone());

// Brings the planes of all ranks (compute/distributed/grid_slabs.h) to the first, which has the
// whole grid then; the others give theirs up. All call it.
void gather_planes(Grid& grid, compute::Ranks& ranks);

}  // namespace haloscope::analysis
