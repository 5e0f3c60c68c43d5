#include "io/snapshots/text_table_blocks.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t(1) << 20;
static_assert(kBlockBytes <= kLongestLine);
constexpr std::uint64_t kReadAhead = 4096;  // for the end of a block's last line
// From here on the list of bad rows is long enough to give up when they are the most.
constexpr std::uint64_t kManyBadRows = std::uint64_t(1) << 24;

bool only_digits(std::string_view cell) {
  if (!cell.empty() && cell.front() == '-') cell.remove_prefix(1);
  return !cell.empty() &&
         std::all_of(cell.begin(), cell.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Checks the rows of one block.
class RowChecker {
 public:
  RowChecker(TextBlock& block, const TextTableLayout& layout, const std::vector<CellKind>& kinds,
             int default_type)
      : block_(block), layout_(layout), kinds_(kinds), default_type_(default_type) {
    block_.fractions.assign(kinds.size(), false);
    block_.beyond_signed.assign(kinds.size(), false);
    block_.below_zero.assign(kinds.size(), false);
  }

  void row(std::string_view line) {
    type_ = default_type_;
    CellCursor cursor(line, layout_.delimiter);
    std::string_view cell;
    std::size_t column = 0;
    bool good = true;
    for (; cursor.next(cell); ++column) {
      if (column >= kinds_.size() || check(column, cell)) continue;
      if (good && block_.bad.empty()) {
        const bool named = column < layout_.names.size();
        block_.bad_reason = fmt::format("'{}' in column {}", printable_cell(cell),
                                        named ? layout_.names[column] : std::to_string(column + 1));
      }
      good = false;
    }
    if (column != kinds_.size()) {
      if (good && block_.bad.empty())
        block_.bad_reason =
            line.empty() ? "more than 1 MiB long"
                         : fmt::format("{} columns where {} are expected", column, kinds_.size());
      good = false;
    }
    if (!good) {
      if (block_.bad.empty()) block_.bad_line = block_.lines;
      block_.bad.push_back(std::uint32_t(block_.rows));
    }
    ++block_.type_counts[type_];
    ++block_.rows;
  }

 private:
  bool check(std::size_t column, std::string_view cell) {
    double number = 0;
    switch (kinds_[column]) {
      case CellKind::Ignored:
        return true;
      case CellKind::Coordinate:
        return parse_number(cell, number);
      case CellKind::Id:
        return check_integer(column, cell);
      case CellKind::Value:
        if (!block_.fractions[column] && only_digits(cell) && check_integer(column, cell))
          return true;
        if (!cell.empty() && !parse_number(cell, number)) return false;
        block_.fractions[column] = true;
        return true;
      case CellKind::Type: {
        const int type = parse_particle_type(cell);
        if (type >= 0) type_ = type;
        return type >= 0;
      }
    }
    return false;
  }

  bool check_integer(std::size_t column, std::string_view cell) {
    std::uint64_t value = 0;
    bool negative = false;
    if (!parse_integer(cell, value, negative)) return false;
    if (negative)
      block_.below_zero[column] = true;
    else if (value >> 63)
      block_.beyond_signed[column] = true;
    return true;
  }

  TextBlock& block_;
  const TextTableLayout& layout_;
  const std::vector<CellKind>& kinds_;
  int default_type_;
  int type_ = 0;
};

}  // namespace

void for_each_line(const PositionedFile& file, std::uint64_t begin, std::uint64_t end,
                   std::uint64_t data_start, std::string& buffer, const LineVisitor& visit) {
  // The byte before tells whether the block begins with a line.
  const std::uint64_t from = begin > data_start ? begin - 1 : begin;
  auto extend = [&](std::uint64_t to) {
    const std::size_t old = buffer.size();
    buffer.resize(std::size_t(std::min(to, file.size()) - from));
    file.read(from + old, buffer.size() - old, buffer.data() + old, "the table");
  };
  buffer.clear();
  extend(end + kReadAhead);
  std::size_t at = 0;
  if (begin > data_start) {
    at = buffer.find('\n');
    if (at == std::string::npos) return;
    ++at;
  }
  while (from + at < end && at < buffer.size()) {
    std::size_t stop = buffer.find('\n', at);
    while (stop == std::string::npos && from + buffer.size() < file.size() &&
           buffer.size() - at < kLongestLine) {
      const std::size_t searched = buffer.size();
      extend(from + searched + std::max(searched - at, std::size_t(kReadAhead)));
      stop = buffer.find('\n', searched);
    }
    if (stop == std::string::npos && from + buffer.size() < file.size()) {
      visit({}, true);  // too long: whatever follows starts in another block
      return;
    }
    if (stop == std::string::npos) stop = buffer.size();
    const std::string_view line(buffer.data() + at, stop - at);
    const bool row = !is_comment_or_blank(line);
    visit(row && line.size() > kLongestLine ? std::string_view{} : line, row);
    at = stop + 1;
  }
}

int row_type(std::string_view line, const TextTableLayout& layout,
             const std::vector<CellKind>& kinds, int default_type) {
  CellCursor cursor(line, layout.delimiter);
  std::string_view cell;
  int type = default_type;
  for (std::size_t column = 0; cursor.next(cell) && column < kinds.size(); ++column)
    if (kinds[column] == CellKind::Type) {
      const int found = parse_particle_type(cell);
      if (found >= 0) type = found;
    }
  return type;
}

std::vector<TextBlock> scan_text_table(const PositionedFile& file, const TextTableLayout& layout,
                                       const std::vector<CellKind>& kinds, int default_type) {
  const std::uint64_t bytes = file.size() - layout.data_start;
  std::vector<TextBlock> blocks(std::size_t((bytes + kBlockBytes - 1) / kBlockBytes));
  tbb::enumerable_thread_specific<std::string> buffers;
  std::atomic<std::uint64_t> rows{0}, bad{0};
  tbb::parallel_for(std::size_t(0), blocks.size(), [&](std::size_t i) {
    TextBlock& block = blocks[i];
    block.begin = layout.data_start + i * kBlockBytes;
    block.end = std::min(block.begin + kBlockBytes, file.size());
    if (bad > kManyBadRows && 2 * bad > rows) return;
    RowChecker checker(block, layout, kinds, default_type);
    for_each_line(file, block.begin, block.end, layout.data_start, buffers.local(),
                  [&](std::string_view line, bool is_row) {
                    if (is_row)
                      checker.row(line);
                    else if (is_commented_row(line, layout.delimiter, layout.columns) &&
                             block.commented++ == 0)
                      block.commented_line = block.lines;
                    ++block.lines;
                  });
    block.bad.shrink_to_fit();
    rows += block.rows;
    bad += block.bad.size();
  });
  std::map<int, std::uint64_t> first;
  for (auto& block : blocks)
    for (const auto& [type, count] : block.type_counts) {
      block.type_first[type] = first[type];
      first[type] += count;
    }
  return blocks;
}

}  // namespace haloscope::io
