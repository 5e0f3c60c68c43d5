#include "app/session/beside_state.h"

#include "render/colors/palette.h"

#include <algorithm>
#include <filesystem>

namespace haloscope::app::session {

namespace fs = std::filesystem;

void find_snapshots(ReadState& read, const std::string& path) {
  auto& snapshots = read.state.snapshots;
  std::error_code failed;
  const fs::path folder = fs::path(path).parent_path();
  const auto all_are_there = [&](const fs::path& from) {
    std::error_code unseen;
    return std::all_of(snapshots.begin(), snapshots.end(), [&](const auto& name) {
      return name.empty() || fs::exists(from / name, unseen);
    });
  };
  if (all_are_there({})) return;
  const auto take_from = [&](const fs::path& from, const std::string& where) {
    for (std::string& name : snapshots)
      if (!name.empty()) name = (from / name).string();
    read.warnings.push_back("the snapshots of " + path + " are those " + where);
  };
  if (!folder.empty() && all_are_there(folder)) return take_from(folder, "beside it");
  // It was saved into a folder below the one that their names count from.
  fs::path from = fs::absolute(path, failed).lexically_normal().parent_path();
  while (!failed && from.has_relative_path()) {
    from = from.parent_path();
    if (all_are_there(from)) return take_from(from, "below " + from.string());
  }
}

void find_palettes(ReadState& read, const std::string& path) {
  std::error_code failed;
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) return;
  const auto find = [&](std::string& name) {
    if (!render::is_palette_file(name) || fs::exists(name, failed) ||
        !fs::exists(folder / name, failed))
      return;
    read.warnings.push_back("the color map " + name + " of " + path + " is the one beside it");
    name = (folder / name).string();
  };
  for (auto& [number, type] : read.state.types) find(type.color_map);
  for (auto& [finder, finding] : read.state.findings) find(finding.look.color_map);
}

}  // namespace haloscope::app::session
