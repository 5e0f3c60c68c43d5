#include "analysis/clusters/table_weights.h"

#include "analysis/option_parsing/option_error.h"
#include "core/text_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace haloscope::analysis {

namespace {

std::size_t find_column(const io::PointTable& table, const std::string& column) {
  std::uint64_t number = 0;
  if (is_count(column, number)) {
    if (number < table.columns) return std::size_t(number);
    throw OptionError(
        fmt::format("there is no column {} among {}, counted from 0", number, table.columns),
        marked("weights"), "give the number of a column");
  }
  const std::vector<std::string> names = io::column_names(table.path);
  const bool named = names.size() == table.columns;
  const auto found = std::find(names.begin(), names.end(), column);
  if (named && found != names.end()) return std::size_t(found - names.begin());
  throw OptionError(
      fmt::format("there is no column '{}'", column), marked("weights"),
      named ? fmt::format("use {}", fmt::join(names, ", ")) : "give its number, counted from 0");
}

void check_values(const std::vector<double>& weights) {
  for (std::size_t row = 0; row < weights.size(); ++row)
    if (weights[row] < 0)
      throw OptionError(fmt::format("row {}, counted from 0, has the weight {}", row, weights[row]),
                        marked("weights"), "give weights of 0 or more");
  if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; }))
    throw OptionError("all weights are 0", marked("weights"), "leave it out");
}

}  // namespace

WeightedTable take_weights(const io::PointTable& table, const std::string& column) {
  const std::size_t taken = find_column(table, column);
  if (table.columns == 1)
    throw OptionError("the only column cannot tell both places and weights", marked("weights"),
                      "leave it out");
  io::require_table_memory(table.rows, table.columns, table.path);
  const auto rows = std::size_t(table.rows);
  WeightedTable split{
      {table.path, table.rows, table.columns - 1, Array<double>(rows * (table.columns - 1))}, {}};
  split.weights.reserve(rows);
  for (std::size_t row = 0, k = 0; row < rows; ++row)
    for (std::size_t c = 0; c < table.columns; ++c)
      if (c == taken)
        split.weights.push_back(table.at(row, c));
      else
        split.points.values[k++] = table.at(row, c);
  check_values(split.weights);
  return split;
}

}  // namespace haloscope::analysis
