#include "io/catalogs/text_table.h"

#include "core/array.h"
#include "core/error.h"
#include "core/input_file.h"
#include "core/text_values.h"
#include "io/catalogs/text_column.h"
#include "io/text/headings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>

namespace haloscope::io {

namespace {

constexpr std::size_t kHeadBytes = std::size_t(64) << 10;
constexpr std::size_t kBlockBytes = std::size_t(1) << 20;
constexpr std::size_t kLongestLine = std::size_t(1) << 20;
constexpr std::size_t kMostColumns = 10000;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

void split_into(std::string_view line, CellDelimiter delimiter,
                std::vector<std::string_view>& cells) {
  cells.clear();
  CellCursor cursor(line, delimiter);
  for (std::string_view cell; cursor.next(cell);) cells.push_back(cell);
}

// The lines of a file, one after the other, without their ends; a line must fit into memory.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(open_input(path)) {}

  bool next(std::string_view& line) {
    while (true) {
      const char* from = buffer_.data() + at_;
      const auto* end = static_cast<const char*>(std::memchr(from, '\n', filled_ - at_));
      if (end || (ended_ && filled_ > at_)) {
        const std::size_t length = end ? std::size_t(end - from) : filled_ - at_;
        line = std::string_view(from, length);
        at_ += length + (end ? 1 : 0);
        ++number_;
        terminated_ = end != nullptr;
        return true;
      }
      if (ended_) return false;
      if (filled_ - at_ > kLongestLine)
        throw BadFile(fmt::format("line {} is longer than {} MiB: this is not a table of halos",
                                  number_ + 1, kLongestLine >> 20),
                      path_);
      refill();
    }
  }

  std::uint64_t number() const { return number_; }  // of the last line, from 1
  bool terminated() const { return terminated_; }   // its end is in the file
  std::uint64_t bytes_read() const { return bytes_; }

 private:
  void refill() {
    const std::size_t rest = filled_ - at_;
    if (buffer_.size() < rest + kBlockBytes) buffer_.resize(rest + kBlockBytes);
    std::memmove(buffer_.data(), buffer_.data() + at_, rest);
    file_.read(buffer_.data() + rest, std::streamsize(kBlockBytes));
    const auto got = std::size_t(file_.gcount());
    ended_ = got < kBlockBytes;
    bytes_ += got;
    at_ = 0;
    filled_ = rest + got;
  }

  const std::string& path_;
  std::ifstream file_;
  std::vector<char> buffer_ = std::vector<char>(kBlockBytes);
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t number_ = 0, bytes_ = 0;
  bool ended_ = false, terminated_ = false;
};

std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  std::vector<std::string> out;
  for (const auto& name : names) {
    std::string one = name;
    for (int k = 2; !seen.insert(one).second; ++k) one = name + "_" + std::to_string(k);
    out.push_back(one);
  }
  return out;
}

class TableParser {
 public:
  TableParser(const std::string& path, const TextColumns& format, Progress& progress)
      : path_(path), format_(format), progress_(progress), values_(format.names.size()) {
    if (format.names.size() > kMostColumns)
      throw BadFile(fmt::format("the header names {} columns", format.names.size()), path);
  }

  TextRows run() {
    std::error_code failed;
    const std::uint64_t size = std::filesystem::file_size(path_, failed);
    Lines lines(path_);
    bool names_pending = format_.names_in_first_row;
    std::string_view line;
    std::uint64_t reported = 0;
    while (lines.next(line)) {
      if (lines.bytes_read() != reported) {
        reported = lines.bytes_read();
        progress_.report("reading halos",
                         failed || size == 0 ? 1 : double(reported) / double(size));
      }
      line = trimmed(line);
      if (line.empty()) continue;
      if (line.front() == '#') {
        if (is_commented_row(line.substr(1)) && commented_++ == 0)
          first_commented_ = lines.number();
        continue;
      }
      if (names_pending) {
        names_pending = false;
        continue;
      }
      const bool first = rows_ + bad_ == 0;
      if (first && !failed) require_memory(size, line.size());
      take_row(line, lines);
    }
    return result();
  }

 private:
  // By the first row's length; the vectors grow by doubling.
  void require_memory(std::uint64_t size, std::size_t line) const {
    const std::uint64_t rows = size / std::max<std::size_t>(line, 1) + 1;
    require_host_memory(rows * values_.size() * 8 / 2 * 3, "the halo catalog");
  }

  void take_row(std::string_view line, const Lines& lines) {
    split_into(line, format_.delimiter, words_);
    if (words_.size() == values_.size()) {
      if (rows_ == 0 && ignored_.empty()) find_columns_of_words();
      if (parse_row()) {
        ++rows_;
        return;
      }
    }
    if (bad_++ == 0) {
      first_bad_ = lines.number();
      first_bad_width_ = words_.size();
    }
    if (!lines.terminated()) last_cut_ = true;
  }

  // A comment that would be a row, but for columns of words.
  bool is_commented_row(std::string_view line) {
    split_into(trimmed(line), format_.delimiter, words_);
    if (words_.size() != values_.size()) return false;
    const auto numbers = std::count_if(words_.begin(), words_.end(), [](std::string_view word) {
      return !word.empty() && parse_text_number(word);
    });
    return 2 * std::size_t(numbers) > words_.size();
  }

  void find_columns_of_words() {
    for (const auto& word : words_) ignored_.push_back(!parse_text_number(word));
    if (std::find(ignored_.begin(), ignored_.end(), false) == ignored_.end()) ignored_.clear();
  }

  bool parse_row() {
    numbers_.clear();
    for (std::size_t c = 0; c < words_.size(); ++c) {
      if (!ignored_.empty() && ignored_[c]) {
        numbers_.push_back({});
        continue;
      }
      const auto number = parse_text_number(words_[c]);
      if (!number) return false;
      numbers_.push_back(*number);
    }
    for (std::size_t c = 0; c < numbers_.size(); ++c)
      if (ignored_.empty() || !ignored_[c]) values_[c].add(numbers_[c]);
    return true;
  }

  TextRows result() {
    if (rows_ == 0 && bad_ > 0)
      throw BadFile(fmt::format("no row is usable: the header names {} columns, line {} has {}",
                                values_.size(), first_bad_, first_bad_width_) +
                        (first_bad_width_ == values_.size() ? " that are not all numbers" : ""),
                    path_, "copy the catalog again, or mend its header");
    TextRows rows;
    rows.table.name = "halos";
    rows.table.count = rows_;
    const auto names = distinct(format_.names);
    std::string words;
    for (std::size_t c = 0; c < values_.size(); ++c) {
      if (!ignored_.empty() && ignored_[c]) {
        words += (words.empty() ? "" : ", ") + names[c];
        continue;
      }
      CatalogColumn column;
      column.name = names[c];
      values_[c].move_to(column);
      rows.table.columns.push_back(std::move(column));
    }
    if (!words.empty()) rows.left_out.push_back("Columns of words are left out: " + words + ".");
    if (commented_ > 0)
      rows.left_out.push_back(commented_rows_in_words(commented_, first_commented_));
    if (bad_ > 0)
      rows.left_out.push_back(
          fmt::format("{} row{} left out: not {} numbers (first in line {}).{}", bad_,
                      bad_ == 1 ? " is" : "s are", values_.size(), first_bad_,
                      last_cut_ ? " The last row is cut short: the file may be truncated." : ""));
    return rows;
  }

  const std::string& path_;
  const TextColumns& format_;
  Progress& progress_;
  std::vector<TextColumn> values_;
  std::vector<bool> ignored_;
  std::vector<std::string_view> words_;
  std::vector<TextNumber> numbers_;
  std::uint64_t rows_ = 0, bad_ = 0, first_bad_ = 0;
  std::uint64_t commented_ = 0, first_commented_ = 0;
  std::size_t first_bad_width_ = 0;
  bool last_cut_ = false;
};

}  // namespace

TextHead read_text_head(const std::string& path) {
  std::ifstream file = open_input(path);
  std::string bytes(kHeadBytes, '\0');
  file.read(bytes.data(), std::streamsize(bytes.size()));
  const bool whole = std::size_t(file.gcount()) < bytes.size();
  bytes.resize(std::size_t(file.gcount()));
  TextHead head;
  head.text = !bytes.empty() && std::none_of(bytes.begin(), bytes.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  });
  if (!head.text) return head;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string::npos && !whole) break;  // the line goes on
    const auto line = trimmed(std::string_view(bytes).substr(at, end - at));
    if (!line.empty() && line.front() != '#') {
      (head.first_line.empty() ? head.first_line : head.second_line) = line;
      if (!head.second_line.empty()) break;
    } else if (!line.empty() && head.first_line.empty()) {
      head.comments.emplace_back(line.substr(1));
    }
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return head;
}

std::multimap<std::string, std::string> comment_values(const std::vector<std::string>& comments) {
  std::multimap<std::string, std::string> values;
  for (const auto& comment : comments) {
    for (std::string_view rest = comment; !rest.empty();) {
      const auto semicolon = rest.find(';');
      const std::string_view part = rest.substr(0, semicolon);
      const auto at = part.find_first_of("=:");
      if (at != std::string_view::npos)
        values.emplace(lower_case(std::string(trimmed(part.substr(0, at)))),
                       trimmed(part.substr(at + 1)));
      if (semicolon == std::string_view::npos) break;
      rest.remove_prefix(semicolon + 1);
    }
  }
  return values;
}

std::optional<double> leading_number(const std::string& value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || !(number > -1e300 && number < 1e300)) return {};
  return number;
}

std::vector<std::string> split_line(const std::string& line, CellDelimiter delimiter) {
  std::vector<std::string_view> views;
  split_into(line, delimiter, views);
  return {views.begin(), views.end()};
}

TextRows read_text_table(const std::string& path, const TextColumns& columns, Progress& progress) {
  return TableParser(path, columns, progress).run();
}

}  // namespace haloscope::io
