#include "core/assets.h"

#include "core/error.h"

#include <cstdlib>
#include <system_error>

namespace haloscope {

namespace fs = std::filesystem;

namespace {

// build/app, build/Release/app, …: no build tree of ours lies deeper below the sources.
constexpr int kParentsToSearch = 5;

fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path(error) : program.parent_path();
}

}  // namespace

std::vector<fs::path> asset_folders(const fs::path& program_folder) {
  std::vector<fs::path> folders;
  const char* chosen = std::getenv("HALOSCOPE_ASSETS");
  if (chosen && *chosen) folders.emplace_back(chosen);
  folders.push_back(program_folder.parent_path() / "share" / "haloscope");
  folders.push_back(program_folder / "assets");
  std::error_code error;
  fs::path parent = program_folder.parent_path();
  for (int i = 0; i < kParentsToSearch && parent.has_relative_path(); ++i) {
    if (fs::is_directory(parent / "assets" / "palettes", error)) {
      folders.push_back(parent / "assets");
      break;
    }
    parent = parent.parent_path();
  }
  return folders;
}

fs::path asset_path(const std::string& relative) {
  std::string tried;
  for (const fs::path& folder : asset_folders(program_folder())) {
    std::error_code error;
    if (fs::exists(folder / relative, error)) return folder / relative;
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  throw Error("this file of the program's own is missing (looked in " + tried + ")",
              "assets/" + relative, "set HALOSCOPE_ASSETS to the folder that holds it");
}

}  // namespace haloscope
