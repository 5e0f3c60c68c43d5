#pragma once

#include "io/tables/point_table.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// A table's points, and the column that tells how much each of them counts.
struct WeightedTable {
  io::PointTable points;        // the other columns
  std::vector<double> weights;  // of each row
};

// `column`: its name, of text that names its columns, or its number, counted from 0. Throws
// OptionError where there is none, where it is the only one, and for weights that are negative or
// all 0.
WeightedTable take_weights(const io::PointTable& table, const std::string& column);

}  // namespace haloscope::analysis
