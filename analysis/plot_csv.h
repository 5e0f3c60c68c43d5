#pragma once

#include "analysis/plot.h"

#include <string>

namespace haloscope::analysis {

// The numbers of a plot as a table: comments (#) with titles, notes and marked lines, the names of
// the columns, a row for each point. Columns that no point has are left out; "layer" is there where
// there are several. Of a plot with a map its bins are the rows, and layers are left out. Numbers
// read back to the bit; what is not there is an empty field.
std::string plot_csv(const Plot& plot);

// A title without the marks of raised and lowered letters: "dn/dlog_{10} M" → "dn/dlog10 M".
std::string plain_title(const std::string& title);

}  // namespace haloscope::analysis
