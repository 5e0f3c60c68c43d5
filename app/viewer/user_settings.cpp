#include "app/viewer/user_settings.h"

#include "app/session/toml_writer.h"
#include "core/atomic_file.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <toml++/toml.h>

namespace haloscope::app::viewer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRecent = 12;

fs::path settings_path() {
  const fs::path folder = settings_folder();
  return folder.empty() ? folder : folder / "window.toml";
}

}  // namespace

fs::path settings_folder() {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  if (config && *config) return fs::path(config) / "haloscope";
  const char* const home = std::getenv("HOME");
  return home && *home ? fs::path(home) / ".config" / "haloscope" : fs::path();
}

void UserSettings::remember(const std::string& snapshot) {
  std::error_code failed;
  const fs::path whole = fs::absolute(snapshot, failed);
  const std::string path = failed ? snapshot : whole.string();
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
}

UserSettings load_settings() {
  UserSettings settings;
  const fs::path path = settings_path();
  std::error_code failed;
  if (path.empty() || !fs::is_regular_file(path, failed)) return settings;
  try {
    const toml::table file = toml::parse_file(path.string());
    const double scale = file["ui_scale"].value_or(1.0);
    if (scale >= 0.25 && scale <= 8) settings.ui_scale = scale;
    if (const auto* recent = file["recent"].as_array())
      for (const auto& entry : *recent)
        if (const auto name = entry.value<std::string>()) settings.recent.push_back(*name);
  } catch (const toml::parse_error&) {
    return {};
  }
  // Files that are gone are no use on the start page.
  std::erase_if(settings.recent, [](const auto& name) {
    std::error_code unknown;
    return !fs::exists(name, unknown);
  });
  return settings;
}

void save_settings(const UserSettings& settings) {
  const fs::path path = settings_path();
  if (path.empty()) return;
  std::string text = fmt::format("ui_scale = {}\nrecent = [\n", settings.ui_scale);
  for (const auto& name : settings.recent) text += "  " + session::quoted(name) + ",\n";
  text += "]\n";
  try {
    fs::create_directories(path.parent_path());
    AtomicFile file(path.string());
    file.write(text.data(), text.size());
    file.commit(false);
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
}

}  // namespace haloscope::app::viewer
