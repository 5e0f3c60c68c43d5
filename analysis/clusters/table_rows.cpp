#include "analysis/clusters/table_rows.h"

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

// The middle of each column, so that differences from it are half as large as they can be.
std::vector<double> middles(const io::PointTable& table) {
  std::vector<double> low(table.columns, HUGE_VAL), high(table.columns, -HUGE_VAL);
  for (std::uint64_t row = 0; row < table.rows; ++row)
    for (std::size_t c = 0; c < table.columns; ++c) {
      low[c] = std::min(low[c], table.at(row, c));
      high[c] = std::max(high[c], table.at(row, c));
    }
  std::vector<double> middle;
  for (std::size_t c = 0; c < table.columns; ++c) middle.push_back(low[c] / 2 + high[c] / 2);
  return middle;
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
  const std::vector<double> middle = all ? std::vector<double>(table.columns, 0.) : middles(table);
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const double x = table.values[i] - middle[i % table.columns];
    rows.values[i] = float(x);
    rows.is_rounded = rows.is_rounded || !is_float(x);
  }
  return rows;
}

}  // namespace haloscope::analysis
