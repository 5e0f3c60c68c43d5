#pragma once

#include "compute/brute_force/rows.h"
#include "core/array.h"
#include "io/tables/point_table.h"

namespace haloscope::analysis {

// The rows of a table in float32, for searches in any number of dimensions. Numbers that float32
// does not hold are taken from the middle of their column before they are rounded, so that of
// large ones the differences keep their digits.
struct TableRows {
  Array<float> values;  // row by row
  std::uint64_t rows = 0;
  std::size_t columns = 0;
  bool is_rounded = false;  // some number changed

  compute::brute_force::Rows view() const;
};

// Throws Error for more columns than a search takes, and for numbers that are too large.
TableRows rows_of_table(const io::PointTable& table);

// Throws Error for a table of so many columns.
void check_row_columns(const io::PointTable& table);

}  // namespace haloscope::analysis
