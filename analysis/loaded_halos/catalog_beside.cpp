#include "analysis/loaded_halos/catalog_beside.h"

#include "io/catalogs/catalog_reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <vector>

namespace haloscope::analysis {

namespace {

namespace fs = std::filesystem;

// A folder of a million files would be looked through at each search.
constexpr std::size_t kMostFiles = 10000;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// The last run of digits of a name without its extension: "012" of snapshot_012.hdf5.
std::string last_number(const std::string& name) {
  const auto end = std::find_if(name.rbegin(), name.rend(), is_digit);
  const auto begin = std::find_if_not(end, name.rend(), is_digit);
  return std::string(begin.base(), end.base());
}

// "snapshot_012" of snapshot_012.hdf5 and of snapshot_012.3.hdf5, "tiny.000640" of itself.
std::string stem_of(fs::path file) {
  const std::string ending = file.extension().string();
  if (ending == ".hdf5" || ending == ".h5") {
    file.replace_extension();
    const std::string part = file.extension().string();
    if (part.size() > 1 && std::all_of(part.begin() + 1, part.end(), is_digit))
      file.replace_extension();
  }
  return file.filename().string();
}

std::optional<std::string> named_as_usual(const fs::path& folder, const std::string& number) {
  std::error_code ignored;
  for (const fs::path& at : {folder, folder.parent_path() / ("groups_" + number)})
    for (const char* name : {"fof_subhalo_tab_", "fof_tab_"})
      for (const char* ending : {".hdf5", ".0.hdf5"}) {
        const fs::path path = at / (name + number + ending);
        if (fs::exists(path, ignored)) return path.string();
      }
  return {};
}

bool belongs_to(const std::string& name, const std::string& stem, const std::string& number) {
  if (name.starts_with(stem + ".") || name.starts_with(stem + "_")) return true;
  return !number.empty() && last_number(stem_of(name)) == number;
}

}  // namespace

std::optional<std::string> catalog_beside(const SnapshotInfo& info) {
  if (info.files.empty()) return {};
  const fs::path file = fs::path(info.files.front());
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string stem = stem_of(file), number = last_number(stem);
  if (!number.empty())
    if (auto found = named_as_usual(folder, number)) return found;
  std::vector<std::string> candidates;
  std::error_code failed;
  std::size_t seen = 0;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end && seen < kMostFiles;
       at.increment(failed), ++seen)
    if (belongs_to(at->path().filename().string(), stem, number))
      candidates.push_back((folder / at->path().filename()).string());
  std::sort(candidates.begin(), candidates.end());
  const auto is_part = [&](const std::string& path) {
    return std::any_of(info.files.begin(), info.files.end(), [&](const std::string& one) {
      return fs::path(one).filename() == fs::path(path).filename();
    });
  };
  for (const std::string& path : candidates)
    if (!is_part(path) && io::catalog_kind(path)) return path;
  return {};
}

}  // namespace haloscope::analysis
