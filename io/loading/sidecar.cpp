#include "io/loading/sidecar.h"

#include "core/atomic_file.h"
#include "core/edit_distance.h"
#include "core/error.h"
#include "core/input_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".haloscope.toml";

// "dir" of "dir/".
fs::path without_end(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

fs::path full_path(const fs::path& path) {
  // fs::absolute() throws for an empty path.
  return without_end(fs::absolute(path.empty() ? "." : path).lexically_normal());
}

// Far more than all words can take: whatever is larger is something else.
constexpr std::uintmax_t kLargestSidecar = 1 << 20;

// One line of the file. We read the part of TOML that words need, `word = value` with values of one
// line, ourselves: toml++ 3.0 to 3.3 run into undefined behavior on broken heads of tables, broken
// arrays, and letters such as U+0107 in a comment.
class Line {
 public:
  Line(std::string_view text, std::string where) : rest_(text), where_(std::move(where)) {}

  // Nothing where the line is blank or a comment.
  std::optional<SidecarEntry> read() {
    if (at_end()) return {};
    SidecarEntry entry;
    entry.where = where_;
    while (!rest_.empty() && is_of_word(rest_.front())) entry.word += take();
    skip_blanks();
    if (entry.word.empty() || rest_.empty() || take() != '=')
      fail("this is no line 'word = value'");
    skip_blanks();
    entry.text = value(entry.word);
    if (!at_end()) fail(fmt::format("{} is followed by more than its value", entry.word));
    return entry;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(what, where_, "write lines such as unit-length = \"kpc/h\"");
  }
  static bool is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  }
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) take();
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty() || rest_.front() == '#';
  }

  std::string value(const std::string& word) {
    if (!rest_.empty() && (rest_.front() == '"' || rest_.front() == '\'')) return quoted(word);
    std::string text;
    while (!rest_.empty() && rest_.front() != '#' && rest_.front() != ' ' && rest_.front() != '\t')
      text += take();
    if (text == "true") return "yes";
    if (text == "false") return "no";
    const std::string_view number = std::string_view(text).substr(text.starts_with('+') ? 1 : 0);
    double parsed = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), parsed);
    if (number.empty() || error != std::errc() || end != number.data() + number.size())
      fail(fmt::format("{} is neither a text nor a number nor true or false", word));
    return std::string(number);
  }

  // Between single quotes nothing is special, between double quotes a backslash takes the next
  // quote or backslash as it is.
  std::string quoted(const std::string& word) {
    const char quote = take();
    std::string text;
    while (!rest_.empty() && rest_.front() != quote) {
      char c = take();
      if (c == '\\' && quote == '"') {
        if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\\'))
          fail(fmt::format("{} has a backslash before something else than \" or \\", word));
        c = take();
      }
      text += c;
    }
    if (rest_.empty()) fail(fmt::format("the text of {} does not end", word));
    take();
    return text;
  }

  std::string_view rest_;
  std::string where_;
};

}  // namespace

std::string sidecar_path(const std::string& snapshot) {
  const fs::path path = without_end(fs::path(snapshot).lexically_normal());
  const bool named = path.has_filename() && path.filename() != "." && path.filename() != "..";
  return (named ? path : full_path(path)).string() + kEnding;
}

SidecarChoice choose_sidecar(const std::string& snapshot) {
  std::error_code ignored;
  const SidecarChoice own{sidecar_path(snapshot), false};
  if (fs::exists(own.path, ignored) || fs::is_directory(snapshot, ignored)) return own;
  const SidecarChoice folder{sidecar_path(full_path(snapshot).parent_path().string()), true};
  return fs::exists(folder.path, ignored) ? folder : own;
}

std::vector<SidecarEntry> read_sidecar(const std::string& path,
                                       const std::vector<std::string>& known) {
  std::error_code failed;
  if (!fs::exists(path, failed)) return {};
  std::ifstream file = open_input(path);
  const auto size = fs::file_size(path, failed);
  if (failed) throw Error("the file cannot be read", path, "check its permissions");
  if (size > kLargestSidecar) throw Error("the file is too large for options", path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<SidecarEntry> entries;
  std::set<std::string> seen;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin = end + 1;
    const std::string where = fmt::format("{}:{}", path, ++number);
    auto entry = Line(line, where).read();
    if (!entry) continue;
    if (std::find(known.begin(), known.end(), entry->word) == known.end()) {
      const auto nearest = nearest_word(entry->word, known);
      throw Error(fmt::format("there is no word {}", entry->word), where,
                  nearest ? "did you mean " + *nearest + "?"
                          : fmt::format("there are {}", fmt::join(known, ", ")));
    }
    if (!seen.insert(entry->word).second)
      throw Error(fmt::format("{} is here for the second time", entry->word), where,
                  "remove one of the lines");
    entry->where = where + ": " + entry->word;
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::optional<std::string> why_no_sidecar(const std::string& path,
                                          const std::vector<std::string>& known) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) == 0) return {};
  try {
    if (read_sidecar(path, known).empty()) return "it holds no word of haloscope's";
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

void write_sidecar(const std::string& path,
                   const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text = "# What haloscope takes instead of what the snapshot says or lacks.\n";
  for (const auto& [word, value] : entries) {
    text += word + " = \"";
    for (const char c : value) text += (c == '"' || c == '\\' ? std::string("\\") : "") + c;
    text += "\"\n";
  }
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace haloscope::io
