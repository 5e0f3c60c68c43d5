#pragma once

#include "io/bytes/positioned_file.h"
#include "io/snapshots/text_table_layout.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace haloscope::io {

// How the cells of a column are read.
enum class CellKind {
  Ignored,
  Coordinate,  // a number
  Value,       // a number or nothing
  Id,          // an integer of 64 bits
  Type         // a particle type
};

// The lines of a text table that start within one piece of the file.
struct TextBlock {
  std::uint64_t begin = 0, end = 0;          // bytes
  std::uint64_t lines = 0;                   // all, for line numbers
  std::uint64_t rows = 0;                    // of data, bad ones included
  std::vector<std::uint32_t> bad;            // which rows are unusable, ascending
  std::map<int, std::uint64_t> type_counts;  // rows per particle type
  std::map<int, std::uint64_t> type_first;   // number of the first of them in the whole file
  // Per column: what the cells of the usable rows are.
  std::vector<bool> fractions, beyond_signed, below_zero;
  // The first unusable row: its line within the block, and why.
  std::uint64_t bad_line = 0;
  std::string bad_reason;
};

// Calls `visit(line, is_row)` for each line that starts in [begin, end), without its end; a line
// beyond kLongestLine is handed over as an empty row. A block may begin anywhere after `data_start`
// and is at most kLongestLine long; `buffer` is scratch space.
using LineVisitor = std::function<void(std::string_view line, bool is_row)>;
void for_each_line(const PositionedFile& file, std::uint64_t begin, std::uint64_t end,
                   std::uint64_t data_start, std::string& buffer, const LineVisitor& visit);

// Cuts the file into blocks and checks every row of it, in parallel; a row is unusable that has not
// `kinds.size()` cells or a cell that cannot be read by its kind. Rows without a
// usable type count as `default_type`.
std::vector<TextBlock> scan_text_table(const PositionedFile& file, const TextTableLayout& layout,
                                       const std::vector<CellKind>& kinds, int default_type);

// The type of a row: what its cell of kind Type says, `default_type` where there is none.
int row_type(std::string_view line, const TextTableLayout& layout,
             const std::vector<CellKind>& kinds, int default_type);

}  // namespace haloscope::io
