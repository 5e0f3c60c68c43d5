#pragma once

#include "compute/clusters/spanning_tree.h"
#include "core/array.h"
#include "core/domain.h"
#include "io/tables/point_table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::analysis {

// The rows of a table as places in a lattice, whose step is the same in all columns: 2^-32 of the
// side of a periodic box, else a little more than 2^-31 of the widest column's extent, 2^-30 in
// more than four columns (compute/spatial/block_tree.inl says what differences may be). Numbers of
// a grid, which are whole multiples of a step that is a power of two, have such a step, of up to
// twice that: then distances are exact.
struct TableLattice {
  std::vector<Domain> axis;  // of each column; its axis 0
  std::vector<Array<std::uint32_t>> column;
  std::uint64_t wrapped = 0;  // rows that lay outside of the box, or on its far edge
  std::uint64_t outside = 0;  // of them, rows that lay outside

  double step() const { return axis.front().step(); }
  compute::clusters::LatticePoints points() const;
};

// `box`: side of a periodic box from 0 on; none: the points are not periodic. Throws OptionError
// for more than three periodic columns, Error for more than eight and for extents that no number
// holds.
TableLattice place_table(const io::PointTable& table, const std::optional<double>& box);

struct ColumnExtents {
  std::vector<double> low, high;  // of each column
  // Halves first: the sum of two huge numbers may overflow.
  double middle(std::size_t column) const { return low[column] / 2 + high[column] / 2; }
};
ColumnExtents extents_of(const io::PointTable& table);

// The axes of a table whose points lie in no lattice; there are no columns.
TableLattice open_axes(const io::PointTable& table);

// Throws as place_table() for a table of so many columns.
void check_columns(const io::PointTable& table, const std::optional<double>& box);

}  // namespace haloscope::analysis
