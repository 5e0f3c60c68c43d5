#pragma once

#include "io/text/cells.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haloscope::io {

// The names of a table's columns, with their units behind them: where blanks part them, brackets
// after a name belong to it, with the blanks inside ("x [kpc] v [km / s]" are two).
// A name has one unit: in "z [kpc] [Fe/H]" the second bracket is a name.
//
// `columns`, where it is not 0, is how many the rows have. Where the names are not as many, other
// ways to read the line are tried, and the first that makes up that number is taken: single words;
// phrases between commas, of which "position x y z (ckpc/h)" names three columns with one unit;
// words between blanks and commas.
std::vector<std::string> split_headings(std::string_view line, CellDelimiter delimiter,
                                        std::size_t columns = 0);

// The sentence about rows of data that begin with #, the first of them in this line.
std::string commented_rows_in_words(std::uint64_t rows, std::uint64_t first_line);

}  // namespace haloscope::io
