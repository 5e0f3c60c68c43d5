#include "app/session/beside_state.h"

#include "render/colors/palette.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace haloscope::app::session {

namespace fs = std::filesystem;

namespace {

// The state's own folder, and those above it: it may have been saved into a folder below the one
// that its names count from.
std::vector<fs::path> folders_around(const std::string& path) {
  std::vector<fs::path> all;
  if (const fs::path own = fs::path(path).parent_path(); !own.empty()) all.push_back(own);
  std::error_code failed;
  fs::path from = fs::absolute(path, failed).lexically_normal().parent_path();
  while (!failed && from.has_relative_path()) all.push_back(from = from.parent_path());
  return all;
}

std::string where_in_words(const fs::path& from, const std::string& path) {
  return from == fs::path(path).parent_path() ? "beside it" : "below " + from.string();
}

}  // namespace

void find_snapshots(ReadState& read, const std::string& path) {
  auto& snapshots = read.state.snapshots;
  const auto all_are_there = [&](const fs::path& from) {
    std::error_code unseen;
    return std::all_of(snapshots.begin(), snapshots.end(), [&](const auto& name) {
      return name.empty() || fs::exists(from / name, unseen);
    });
  };
  if (all_are_there({})) return;
  for (const fs::path& from : folders_around(path)) {
    if (!all_are_there(from)) continue;
    for (std::string& name : snapshots)
      if (!name.empty()) name = (from / name).string();
    read.warnings.push_back("the snapshots of " + path + " are those " +
                            where_in_words(from, path));
    return;
  }
}

void find_palettes(ReadState& read, const std::string& path) {
  const auto find = [&](std::string& name) {
    std::error_code failed;
    if (!render::is_palette_file(name) || fs::exists(name, failed)) return;
    for (const fs::path& from : folders_around(path)) {
      if (!fs::exists(from / name, failed)) continue;
      read.warnings.push_back("the color map " + name + " of " + path + " is the one " +
                              where_in_words(from, path));
      name = (from / name).string();
      return;
    }
  };
  for (auto& [number, type] : read.state.types) find(type.color_map);
  for (auto& [finder, finding] : read.state.findings) find(finding.look.color_map);
}

}  // namespace haloscope::app::session
