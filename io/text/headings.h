#pragma once

#include "io/text/cells.h"

#include <string>
#include <string_view>
#include <vector>

namespace haloscope::io {

// The names of a table's columns, with their units behind them: where blanks part them, brackets
// after a name belong to it, with the blanks inside ("x [kpc] v [km / s]" are two).
// A name has one unit: in "z [kpc] [Fe/H]" the second bracket is a name. `columns`, where it is
// not 0, is how many the rows have: where only single words make up that many, they are the names.
std::vector<std::string> split_headings(std::string_view line, CellDelimiter delimiter,
                                        std::size_t columns = 0);

}  // namespace haloscope::io
