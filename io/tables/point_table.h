#pragma once

#include "core/array.h"
#include "core/progress.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// A table of nothing but numbers, whose rows are points.
struct PointTable {
  std::string path;
  std::uint64_t rows = 0;
  std::size_t columns = 0;
  Array<double> values;  // row by row

  double at(std::uint64_t row, std::size_t column) const {
    return values[std::size_t(row) * columns + column];
  }
};

// Whether a file holds such a table: an array of NumPy, or text without names of columns or with
// others than those by which a snapshot is known, which has x, y and z and more. Never throws.
bool is_point_table(const std::string& path);

// Reads an array of NumPy or a table as text, whole. Throws Error in one sentence for what is no
// table of finite numbers, naming the first row that is to blame, and Cancelled.
PointTable read_point_table(const std::string& path, Progress& progress);

// Names of the columns of a table as text; empty where it has none, as arrays have none. Never
// throws.
std::vector<std::string> column_names(const std::string& path);

// Throws Error where a table of so many rows and columns cannot be held.
void require_table_memory(std::uint64_t rows, std::size_t columns, const std::string& path);

}  // namespace haloscope::io
