#include "io/snapshots/text_table_layout.h"

#include "core/error.h"
#include "io/bytes/positioned_file.h"
#include "io/snapshots/table_columns.h"
#include "io/text/headings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace haloscope::io {

namespace {

constexpr std::size_t kFewestColumns = 3, kMostColumns = 4096;
constexpr std::size_t kSampleLines = 100;

bool starts_with(std::string_view text, const char* bytes) {
  return text.substr(0, std::strlen(bytes)) == bytes;
}

// Printable in the sense of ASCII and UTF-8 together; Latin-1 in comments passes as well.
bool is_text(std::string_view head) {
  std::size_t strange = 0;
  for (const char c : head) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f') ||
        byte == 0x7f)
      return false;
    strange += byte >= 0x80;
  }
  return !head.empty() && strange * 10 <= head.size();
}

std::vector<std::string_view> cells_of(std::string_view line, CellDelimiter delimiter) {
  std::vector<std::string_view> cells;
  CellCursor cursor(line, delimiter);
  for (std::string_view cell; cells.size() <= kMostColumns && cursor.next(cell);)
    cells.push_back(cell);
  return cells;
}

// Semicolons come before commas, which may be decimal commas between them.
CellDelimiter guess_delimiter(std::string_view line) {
  if (line.find(';') != std::string_view::npos) return CellDelimiter::Semicolon;
  if (line.find(',') != std::string_view::npos) return CellDelimiter::Comma;
  const auto cells = cells_of(line, CellDelimiter::Tab);
  const bool tabs = cells.size() > 1 && std::all_of(cells.begin(), cells.end(), [](auto cell) {
                      return cell.find_first_of(" \t") == std::string_view::npos;
                    });
  return tabs ? CellDelimiter::Tab : CellDelimiter::Blanks;
}

template <class Cells>
std::size_t count_numbers(const Cells& cells) {
  double value = 0;
  return std::size_t(std::count_if(cells.begin(), cells.end(), [&](std::string_view cell) {
    return parse_number(cell, value);
  }));
}

// A line of a file's beginning.
struct Line {
  std::string_view text;
  std::uint64_t offset = 0;
};

class LayoutReader {
 public:
  explicit LayoutReader(const std::string& path) : path_(path), file_(path) {
    head_.resize(std::min<std::uint64_t>(file_.size(), kLongestLine));
    file_.read(0, head_.size(), head_.data(), "the text");
    if (starts_with(head_, "\xff\xfe") || starts_with(head_, "\xfe\xff"))
      fail("this is text in UTF-16, of which no number can be read", "save it as UTF-8");
    text_ = head_;
    if (starts_with(text_, "\xef\xbb\xbf")) text_.remove_prefix(3);
    if (!is_text(text_)) throw NotThisFormat("this is not a table in text form", path_);
    split();
  }

  TextTableLayout read() {
    std::size_t first = 0;
    while (first < lines_.size() && is_comment_or_blank(lines_[first].text)) ++first;
    if (first == lines_.size())
      fail(lines_.empty() ? "the first line is longer than a row of a table can be"
                          : "this is text without a row of data in its first MiB",
           "name a table with x, y and z in each row");
    find_names(first);
    refuse_catalogs();
    return describe(first);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw BadFile(what, path_, remedy);
  }

  // A line that the head cuts off is none, unless the file ends there.
  void split() {
    const auto base = std::uint64_t(text_.data() - head_.data());
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::size_t end = text_.find('\n', at);
      if (end == std::string_view::npos && head_.size() < file_.size()) break;
      const std::string_view line =
          text_.substr(at, end == std::string_view::npos ? end : end - at);
      lines_.push_back({line, base + at});
      at += line.size() + 1;
    }
  }

  // Lists of halos in their own formats do not come here; this knows them by their columns when
  // somebody has rewritten them.
  void refuse_catalogs() const {
    for (const auto& name : layout_.names)
      for (const char* sign : {"mvir", "rvir", "m200", "r200", "hosthalo", "descid", "desc_id"})
        if (plain_column_name(name).rfind(sign, 0) == 0)
          fail(fmt::format("this is a halo catalog, not a snapshot: its column {} is one of halos",
                           printable_cell(name)),
               "name a file of particles");
  }

  // Names stand in the first row, or in a comment above it, the nearest one that fits.
  void find_names(std::size_t& first) {
    const CellDelimiter delimiter = guess_delimiter(lines_[first].text);
    const auto cells = split_headings(lines_[first].text, delimiter);
    std::size_t data = first;
    if (cells.size() >= kFewestColumns && count_numbers(cells) == 0) {
      do ++data;
      while (data < lines_.size() && is_comment_or_blank(lines_[data].text));
    }
    if (data == lines_.size())
      fail("this is text without a row of numbers",
           "name a table with x, y and z in each row, with decimal points");
    layout_.delimiter = guess_delimiter(lines_[data].text);
    layout_.columns = cells_of(lines_[data].text, layout_.delimiter).size();
    if (data > first) {
      layout_.names = split_headings(lines_[first].text, delimiter, layout_.columns);
      // Rows may end in a delimiter where the names do not.
      if (layout_.names.size() + 1 == layout_.columns &&
          cells_of(lines_[data].text, layout_.delimiter).back().empty())
        layout_.names.emplace_back();
      const bool numbers =
          count_numbers(cells_of(lines_[data].text, layout_.delimiter)) >= kFewestColumns;
      if (numbers && layout_.names.size() != layout_.columns)
        fail(fmt::format("line {} names {} columns, but line {} has {}", first + 1,
                         layout_.names.size(), data + 1, layout_.columns),
             "give each column a name");
    }
    for (std::size_t i = first; i-- > 0 && layout_.names.empty() && data == first;) {
      std::string_view text = lines_[i].text;
      const std::size_t mark = text.find('#');
      if (mark == std::string_view::npos) continue;
      text.remove_prefix(mark + 1);
      auto names = split_headings(text, guess_delimiter(text), layout_.columns);
      if (names.size() == layout_.columns && count_numbers(names) == 0)
        layout_.names = std::move(names);
    }
    for (auto& name : layout_.names)
      name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
    first = data;
  }

  TextTableLayout describe(std::size_t first) {
    const Line& row = lines_[first];
    const auto cells = cells_of(row.text, layout_.delimiter);
    if (layout_.columns > kMostColumns)
      fail(fmt::format("line {} has more than {} columns", first + 1, kMostColumns), "");
    if (count_numbers(cells) < kFewestColumns) {
      double value = 0;
      const auto word = std::find_if(cells.begin(), cells.end(),
                                     [&](auto cell) { return !parse_number(cell, value); });
      fail(fmt::format(
               "this is text, but no table of particles: line {} has {} numbers where at "
               "least {} are needed{}",
               first + 1, count_numbers(cells), kFewestColumns,
               word == cells.end() ? "" : fmt::format(" ('{}' is none)", printable_cell(*word))),
           "give x, y and z in each row, with decimal points");
    }
    layout_.data_start = row.offset;
    layout_.lines_before = first;
    for (std::size_t i = first; i < lines_.size() && layout_.samples.size() < kSampleLines; ++i)
      if (!is_comment_or_blank(lines_[i].text)) layout_.samples.emplace_back(lines_[i].text);
    return std::move(layout_);
  }

  std::string path_;
  PositionedFile file_;
  std::string head_;
  std::string_view text_;
  std::vector<Line> lines_;
  TextTableLayout layout_;
};

}  // namespace

bool is_comment_or_blank(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\f");
  return first == std::string_view::npos || line[first] == '#';
}

TextTableLayout read_text_table_layout(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) ||
      std::filesystem::file_size(path, ignored) == 0)
    throw NotThisFormat("this is not a table in text form", path);
  return LayoutReader(path).read();
}

}  // namespace haloscope::io
