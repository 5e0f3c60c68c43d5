#pragma once

#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/text/cells.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// The beginning of a text file: its first comment lines and the first two lines that are none.
struct TextHead {
  std::vector<std::string> comments;    // above the first line, without "#", in order
  std::string first_line, second_line;  // empty: not in what was looked at
  bool text = false;                    // false: there are bytes that no text has
};

// Looks at 64 KiB at most. Throws Error when the file cannot be opened.
TextHead read_text_head(const std::string& path);

// "a = 0.5", "Box size: 250 Mpc/h", "Om = 0.3; Ol = 0.7; h = 0.7" among comments: the values by key
// in lower case.
std::multimap<std::string, std::string> comment_values(const std::vector<std::string>& comments);

// The number that a value starts with, where it does.
std::optional<double> leading_number(const std::string& value);

// The cells of a line.
std::vector<std::string> split_line(const std::string& line, CellDelimiter delimiter);

struct TextColumns {
  std::vector<std::string> names;
  CellDelimiter delimiter = CellDelimiter::Blanks;
  bool names_in_first_row = false;
};

struct TextRows {
  HaloTable table;
  std::vector<std::string> left_out;  // sentences: bad rows, a last row cut short, columns of text
};

// Reads all rows that are not comments. A column is of whole numbers (64 bits, exact) as long as
// all its values are. Rows of another width or with words where numbers belong are left out and
// counted; columns whose first value is a word are left out. Empty values between delimiters are
// NaN. Throws BadFile where no row is usable, and for lines of more than 1 MiB.
TextRows read_text_table(const std::string& path, const TextColumns& columns, Progress& progress);

}  // namespace haloscope::io
