#include "app/viewer/recent_files.h"

#include "app/viewer/tasks/folder_rows.h"
#include "core/error.h"

#include <filesystem>
#include <system_error>

namespace haloscope::app::viewer {

namespace {

std::filesystem::path whole_path(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(path, failed);
  return failed ? std::filesystem::path(path) : whole;
}

}  // namespace

std::string recent_entry(const std::string& snapshot, const std::vector<std::string>& series) {
  const auto whole = whole_path(snapshot);
  const std::string name = numbered_name(whole.filename().string());
  bool alike = series.size() > 1 && !name.empty();
  for (const std::string& member : series) {
    const auto other = whole_path(member);
    alike = alike && other.parent_path() == whole.parent_path() &&
            numbered_name(other.filename().string()) == name;
  }
  return (alike ? whole.parent_path() / name : whole).string();
}

std::vector<std::string> files_of_recent(const std::string& entry) {
  std::error_code unknown;
  if (std::filesystem::exists(entry, unknown)) return {entry};
  const std::filesystem::path whole(entry);
  const std::string name = whole.filename().string();
  std::vector<std::string> files;
  if (name.find('*') == std::string::npos) return files;
  try {
    const auto rows = list_folder(whole.parent_path().string());
    for (const NumberedFiles& numbered : find_numbered(rows)) {
      if (numbered.name != name) continue;
      for (const std::size_t row : numbered.rows)
        files.push_back((whole.parent_path() / rows[row].name).string());
    }
  } catch (const Error&) {  // the folder is gone
  }
  return files;
}

}  // namespace haloscope::app::viewer
