#include "app/session/files_read.h"

#include "analysis/loaded_halos/catalog_beside.h"
#include "analysis/loaded_halos/loaded_halos_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace haloscope::app::session {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCatalogReader = "loaded_halos";

// "snap_099.3.hdf5" is one of several files: what stands before and behind its number.
std::optional<std::pair<std::string, std::string>> around_number(const std::string& name) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const auto first = name.begin() + std::ptrdiff_t(dot) + 1;
    const auto end = std::find_if_not(first, name.end(), is_digit);
    if (end != first && (end == name.end() || *end == '.'))
      return std::pair(name.substr(0, dot + 1), std::string(end, name.end()));
  }
  return {};
}

// What a program writes and would be called after a snapshot: "snap_099.hdf5.png".
bool is_output_of_name(const std::string& name) {
  static constexpr std::array kEndings{".png",  ".exr",  ".ppm", ".tga", ".csv", ".svg",
                                       ".npy",  ".vti",  ".vtu", ".mp4", ".mov", ".mkv",
                                       ".json", ".hdf5", ".h5",  ".txt"};
  const std::string ending = fs::path(name).extension().string();
  const bool settings = ending == ".toml" && !name.ends_with(".haloscope.toml");
  return settings || std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

// Arrays of tipsy ("tiny.000640.iord"), kept lengths and overrides stand beside a snapshot under
// its name, and a tipsy run's parameters in its folder.
void add_beside(const std::vector<std::string>& snapshots, std::vector<std::string>& files) {
  // A series has its snapshots in one folder: each is looked through once.
  std::map<fs::path, std::set<std::string>> names_in;
  std::error_code failed;
  for (const std::string& snapshot : snapshots) {
    const fs::path path = fs::absolute(snapshot, failed);
    names_in[path.parent_path()].insert(path.filename().string());
  }
  for (const auto& [folder, snapshots_there] : names_in)
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
      const std::string name = entry.path().filename().string();
      bool beside = name.ends_with(".param");
      for (std::size_t dot = name.find('.'); dot != std::string::npos && !beside;
           dot = name.find('.', dot + 1))
        beside = snapshots_there.count(name.substr(0, dot)) > 0 && !is_output_of_name(name);
      if (beside) files.push_back(entry.path().string());
    }
}

// The file itself; all files of a folder; those beside it that differ in their number alone.
void add_with_siblings(const std::string& path, std::vector<std::string>& files) {
  files.push_back(path);
  std::error_code failed;
  const bool folder = fs::is_directory(path, failed);
  const auto around = around_number(fs::path(path).filename().string());
  if (!folder && !around) return;
  const fs::path where = folder ? fs::path(path) : fs::absolute(path, failed).parent_path();
  for (const auto& entry : fs::directory_iterator(where, failed)) {
    const auto other = around_number(entry.path().filename().string());
    if (folder || other == around) files.push_back(entry.path().string());
  }
}

void add_catalog(const std::string& finder, const analysis::AnyOptions& options,
                 const SceneFacts& scene, std::vector<std::string>& files) {
  if (finder != kCatalogReader) return;
  const std::string& file = options.as<analysis::LoadedHalosOptions>().file;
  if (!file.empty())
    add_with_siblings(file, files);
  else if (scene.info)
    if (const auto beside = analysis::catalog_beside(*scene.info))
      add_with_siblings(*beside, files);
}

}  // namespace

std::vector<std::string> files_read(const State& state, const SceneFacts& scene) {
  std::vector<std::string> files;
  for (const std::string& snapshot : state.snapshots) add_with_siblings(snapshot, files);
  add_beside(state.snapshots, files);
  if (scene.info) files.insert(files.end(), scene.info->files.begin(), scene.info->files.end());
  for (const auto& [finder, finding] : state.findings)
    if (finding.searched) add_catalog(finder, finding.options, scene, files);
  if (state.compared) add_catalog(state.compared->finder, state.compared->options, scene, files);
  if (state.profile && !state.profile->options.catalog.empty())
    add_with_siblings(state.profile->options.catalog, files);
  return files;
}

}  // namespace haloscope::app::session
