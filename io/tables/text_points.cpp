#include "io/tables/text_points.h"

#include "core/error.h"
#include "core/input_file.h"
#include "io/snapshots/text_table_layout.h"
#include "io/text/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace haloscope::io {

namespace {

CellDelimiter delimiter_of(std::string_view line) {
  for (const CellDelimiter one :
       {CellDelimiter::Semicolon, CellDelimiter::Comma, CellDelimiter::Tab})
    if (line.find(char(one)) != std::string_view::npos) return one;
  return CellDelimiter::Blanks;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  CellCursor cursor(line, delimiter_of(line));
  for (std::string_view cell; cursor.next(cell);) words.emplace_back(cell);
  return words;
}

bool has_number(const std::vector<std::string>& words) {
  double value = 0;
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return parse_number(word, value); });
}

class TextPoints {
 public:
  TextPoints(const std::string& path, Progress& progress)
      : path_(path), progress_(progress), file_(open_input(path)) {}

  PointTable read() {
    std::error_code failed;
    const double bytes = double(std::filesystem::file_size(path_, failed));
    double done = 0;
    for (std::string line; std::getline(file_, line);) {
      if (line_ % 65536 == 0 && !failed && bytes > 0)
        progress_.report("reading the table", std::min(1.0, done / bytes));
      ++line_;
      done += double(line.size() + 1);
      if (line_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
      if (!is_comment_or_blank(line)) add(line);
    }
    if (table_.columns == 0)
      throw Error("this is text without a row of numbers", path_,
                  "give rows of numbers with commas, semicolons, tabs or blanks between them");
    table_.path = path_;
    table_.values = Array<double>(values_.size());
    std::copy(values_.begin(), values_.end(), table_.values.begin());
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("line {}: {}", line_, what), path_,
                "give rows of as many numbers each, with decimal points");
  }

  void add(std::string_view line) {
    if (!begun_) {
      begun_ = true;
      delimiter_ = delimiter_of(line);
      // A row of names.
      if (!has_number(words_of(line))) return;
    }
    if (table_.columns == 0) delimiter_ = delimiter_of(line);
    std::size_t cells = 0;
    CellCursor cursor(line, delimiter_);
    for (std::string_view cell; cursor.next(cell); ++cells) {
      double value = 0;
      if (!parse_number(cell, value)) fail(fmt::format("'{}' is no number", printable_cell(cell)));
      values_.push_back(value);
    }
    if (table_.columns == 0) table_.columns = cells;
    if (cells != table_.columns)
      fail(fmt::format("it has {} number{} where the first row has {}", cells,
                       cells == 1 ? "" : "s", table_.columns));
    ++table_.rows;
  }

  const std::string& path_;
  Progress& progress_;
  std::ifstream file_;
  CellDelimiter delimiter_ = CellDelimiter::Blanks;
  std::uint64_t line_ = 0;
  bool begun_ = false;
  std::vector<double> values_;
  PointTable table_;
};

}  // namespace

std::vector<std::string> names_of_points(const TextHead& head) {
  std::vector<std::string> words = words_of(head.first_line);
  if (!has_number(words)) return words;
  const std::size_t columns = words.size();
  if (head.comments.empty()) return {};
  words = words_of(head.comments.back());
  return words.size() == columns && !has_number(words) ? words : std::vector<std::string>{};
}

PointTable read_text_points(const std::string& path, Progress& progress) {
  return TextPoints(path, progress).read();
}

}  // namespace haloscope::io
