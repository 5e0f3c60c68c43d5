#include "analysis/clusters/table_rows.h"

#include "analysis/clusters/table_lattice.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace haloscope::analysis {

using compute::brute_force::Rows;

namespace {

bool is_float(double x) {
  return double(float(x)) == x;
}

}  // namespace

Rows TableRows::view() const {
  return {values.data(), std::uint32_t(rows), std::uint32_t(columns)};
}

void check_row_columns(const io::PointTable& table) {
  if (table.columns > Rows::kMostDimensions)
    throw Error(fmt::format("the table has {} columns, and points have {} dimensions at most",
                            table.columns, Rows::kMostDimensions),
                table.path, "leave out columns");
}

TableRows rows_of_table(const io::PointTable& table) {
  check_row_columns(table);
  for (const double x : table.values)
    if (!(std::abs(x) <= double(Rows::kLargest)))
      throw Error(fmt::format("the number {} is larger than a search by `cuslink` takes, {}", x,
                              Rows::kLargest),
                  table.path, "scale the columns");
  TableRows rows;
  rows.rows = table.rows;
  rows.columns = table.columns;
  rows.values = Array<float>(table.values.size());
  const bool all = std::all_of(table.values.begin(), table.values.end(), is_float);
  std::vector<double> middle(table.columns, 0.);
  if (!all) {
    const ColumnExtents extents = extents_of(table);
    for (std::size_t c = 0; c < table.columns; ++c) middle[c] = extents.middle(c);
  }
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const double x = table.values[i] - middle[i % table.columns];
    rows.values[i] = float(x);
    rows.is_rounded = rows.is_rounded || !is_float(x);
  }
  return rows;
}

}  // namespace haloscope::analysis
