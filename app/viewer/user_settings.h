#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// What the window remembers from one start to the next, in
// $XDG_CONFIG_HOME/haloscope/window.toml (default ~/.config); safe to delete.
struct UserSettings {
  double ui_scale = 1;
  std::vector<std::string> recent;  // snapshots, the last one first

  void remember(const std::string& snapshot);
};

// The folder of what the window keeps; empty: there is none.
std::filesystem::path settings_folder();

// Defaults where there is no such file or it is damaged: a lost setting must not keep the window
// shut.
UserSettings load_settings();
// Nothing happens where it cannot be written.
void save_settings(const UserSettings& settings);

}  // namespace haloscope::app::viewer
