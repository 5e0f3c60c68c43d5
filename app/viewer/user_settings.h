#pragma once

#include "app/session/user_choices.h"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// What the window remembers from one start to the next, in
// $XDG_CONFIG_HOME/haloscope/window.toml (default ~/.config); safe to delete.
struct UserSettings {
  session::UserChoices choices;
  std::array<int, 2> last_size{1280, 800};  // of the window when it was closed, pixels
  std::vector<std::string> recent;          // as recent_entry() has them, the last one first

  // `series`: that it is of; a series has one entry.
  void remember(const std::string& snapshot, const std::vector<std::string>& series);
  // Of the window that opens.
  std::array<int, 2> start_size() const { return choices.start_size.value_or(last_size); }
};

// The folder of what the window keeps; empty: there is none.
std::filesystem::path settings_folder();
// A file in it; empty: there is none.
std::filesystem::path settings_file(const char* name);
// Writes one; nothing happens where it cannot be written.
void write_settings_file(const std::filesystem::path& path, const std::string& text);

// Defaults where there is no such file or it is damaged: a lost setting must not keep the window
// shut.
UserSettings load_settings();
// Nothing happens where it cannot be written.
void save_settings(const UserSettings& settings);

}  // namespace haloscope::app::viewer
