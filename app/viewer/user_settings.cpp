#include "app/viewer/user_settings.h"

#include "app/session/toml_writer.h"
#include "app/viewer/recent_files.h"
#include "core/atomic_file.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <toml++/toml.h>

namespace haloscope::app::viewer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRecent = 12;

constexpr const char* kSettingsName = "window.toml";

// What makes no sense is left as it is usually.
void read_choices(const toml::table& file, UserSettings& settings) {
  session::UserChoices& choices = settings.choices;
  const double scale = file["ui_scale"].value_or(1.0);
  if (scale >= 0.25 && scale <= 8) choices.ui_scale = scale;
  const auto keep = session::keep_lengths_called(file["keep_lengths"].value_or(std::string()));
  if (keep) choices.keep_lengths = *keep;
  session::read_start_size(file["start_size"].value_or(std::string()), choices);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto side = file["last_size"][k].value_or(std::int64_t(0));
    if (side >= 1 && side <= 16384) settings.last_size[k] = int(side);
  }
}

}  // namespace

fs::path settings_folder() {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  if (config && *config) return fs::path(config) / "haloscope";
  const char* const home = std::getenv("HOME");
  return home && *home ? fs::path(home) / ".config" / "haloscope" : fs::path();
}

fs::path settings_file(const char* name) {
  const fs::path folder = settings_folder();
  return folder.empty() ? folder : folder / name;
}

void write_settings_file(const fs::path& path, const std::string& text) {
  if (path.empty()) return;
  try {
    fs::create_directories(path.parent_path());
    AtomicFile file(path.string());
    file.write(text.data(), text.size());
    file.commit(false);
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
}

void UserSettings::remember(const std::string& snapshot, const std::vector<std::string>& series) {
  const std::string entry = recent_entry(snapshot, series);
  std::erase_if(recent, [&](const std::string& name) {
    return name == entry || std::any_of(series.begin(), series.end(), [&](const auto& member) {
             return name == recent_entry(member, {});
           });
  });
  recent.insert(recent.begin(), entry);
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
}

UserSettings load_settings() {
  UserSettings settings;
  const fs::path path = settings_file(kSettingsName);
  std::error_code failed;
  if (path.empty() || !fs::is_regular_file(path, failed)) return settings;
  try {
    const toml::table file = toml::parse_file(path.string());
    read_choices(file, settings);
    if (const auto* recent = file["recent"].as_array())
      for (const auto& entry : *recent)
        if (const auto name = entry.value<std::string>()) settings.recent.push_back(*name);
  } catch (const toml::parse_error&) {
    return {};
  }
  // Files that are gone are no use on the start page.
  std::erase_if(settings.recent, [](const auto& name) { return files_of_recent(name).empty(); });
  return settings;
}

void save_settings(const UserSettings& settings) {
  const auto& [ui_scale, keep_lengths, start_size] = settings.choices;
  std::string text = fmt::format(
      "ui_scale = {}\nkeep_lengths = \"{}\"\nstart_size = \"{}\"\nlast_size = [{}, {}]\n"
      "recent = [\n",
      ui_scale, session::word_for(keep_lengths), session::start_size_text(settings.choices),
      settings.last_size[0], settings.last_size[1]);
  for (const auto& name : settings.recent) text += "  " + session::quoted(name) + ",\n";
  text += "]\n";
  write_settings_file(settings_file(kSettingsName), text);
}

}  // namespace haloscope::app::viewer
