#include "app/viewer/tasks/folder_rows.h"

#include "core/error.h"
#include "io/loading/kept_lengths.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace haloscope::app::viewer {

namespace {

namespace fs = std::filesystem;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// The digits that `text` begins with, without leading zeros.
std::string_view digits_of(std::string_view text) {
  std::size_t end = 0, begin = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  while (begin + 1 < end && text[begin] == '0') ++begin;
  return text.substr(begin, end - begin);
}

// Where the number stands by which the name differs from its neighbors'.
std::optional<std::pair<std::size_t, std::size_t>> number_in(const std::string& name) {
  std::size_t end = name.size();
  const auto dot = name.find_last_of('.');
  if (dot != std::string::npos && dot > 0 &&
      !std::all_of(name.begin() + std::ptrdiff_t(dot) + 1, name.end(), is_digit))
    end = dot;
  while (end > 0 && !is_digit(name[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  if (begin == end) return {};
  return std::pair{begin, end};
}

}  // namespace

bool comes_before(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view x = digits_of(std::string_view(a).substr(i)),
                             y = digits_of(std::string_view(b).substr(j));
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      while (i < a.size() && is_digit(a[i])) ++i;
      while (j < b.size() && is_digit(b[j])) ++j;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // of other zeros in front alone
}

std::vector<FolderRow> list_folder(const std::string& folder) {
  std::vector<FolderRow> rows;
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    FolderRow row;
    row.name = entry->path().filename().string();
    if (row.name.starts_with('.') || row.name.ends_with(io::kKeptLengthsEnding)) continue;
    std::error_code gone;
    row.folder = entry->is_directory(gone);
    if (!row.folder && entry->is_regular_file(gone)) row.bytes = entry->file_size(gone);
    // A link that leads nowhere.
    if (!row.folder && gone) continue;
    rows.push_back(std::move(row));
  }
  if (failed) throw Error("the folder cannot be read: " + failed.message(), folder);
  std::sort(rows.begin(), rows.end(), [](const FolderRow& a, const FolderRow& b) {
    return a.folder != b.folder ? a.folder : comes_before(a.name, b.name);
  });
  return rows;
}

std::string numbered_name(std::string name) {
  const auto number = number_in(name);
  if (!number) return {};
  return name.replace(number->first, number->second - number->first, "*");
}

std::vector<NumberedFiles> find_numbered(const std::vector<FolderRow>& rows) {
  std::map<std::string, std::size_t> place;
  std::vector<NumberedFiles> all;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].folder) continue;
    const std::string name = numbered_name(rows[k].name);
    if (name.empty()) continue;
    const auto [known, is_new] = place.try_emplace(name, all.size());
    if (is_new) all.push_back({name, {}});
    all[known->second].rows.push_back(k);
  }
  std::erase_if(all, [](const NumberedFiles& files) { return files.rows.size() < 2; });
  return all;
}

}  // namespace haloscope::app::viewer
