#pragma once

#include "io/text/cells.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// What the beginning of a text file tells of its table.
struct TextTableLayout {
  CellDelimiter delimiter = CellDelimiter::Blanks;
  std::vector<std::string> names;  // of the columns; empty where the file has no names
  std::size_t columns = 0;
  bool misfit_comments = false;       // they speak of x, y and z, but not as names of the columns
  std::uint64_t commented_rows = 0;   // before the data: what would be rows but for a #
  std::uint64_t first_commented = 0;  // line of the first of them, from 1
  std::uint64_t data_start = 0;       // offset of the first line of data
  std::uint64_t lines_before = 0;     // lines before that
  std::vector<std::string> samples;   // the first lines of data, for a guess at the columns' kinds
};

// A line longer than this is no row of a table.
inline constexpr std::uint64_t kLongestLine = std::uint64_t(1) << 20;

// True for lines that are no rows: empty, only blanks, or starting with `#`.
bool is_comment_or_blank(std::string_view line);

// True for a comment that would be a row of so many columns without its #.
bool is_commented_row(std::string_view line, CellDelimiter delimiter, std::size_t columns);

// Finds out delimiter, names and first row from the first MiB. Throws NotThisFormat where the file
// is no text, BadFile where it is text but no table of at least three numbers per row, a halo
// catalog, or where a comment names the columns in a way that does not fit them.
TextTableLayout read_text_table_layout(const std::string& path);

}  // namespace haloscope::io
