#include "app/viewer/line_history.h"

#include "app/viewer/user_settings.h"

#include <filesystem>
#include <fstream>

namespace haloscope::app::viewer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKept = 500;

fs::path history_path() {
  return settings_file("commands.txt");
}

}  // namespace

bool add_to_history(const std::string& line, std::vector<std::string>& history) {
  if (line.find_first_not_of(" \t") == std::string::npos) return false;
  if (!history.empty() && history.back() == line) return false;
  if (history.size() >= kMostKept) history.erase(history.begin());
  history.push_back(line);
  return true;
}

std::vector<std::string> load_history() {
  std::vector<std::string> history;
  std::ifstream file(history_path());
  for (std::string line; std::getline(file, line);) add_to_history(line, history);
  return history;
}

void keep_in_history(const std::string& line) {
  const fs::path path = history_path();
  if (path.empty()) return;
  std::vector<std::string> history = load_history();
  if (!add_to_history(line, history)) return;
  std::string text;
  for (const std::string& kept : history) text += kept + "\n";
  write_settings_file(path, text);
}

void forget_history() {
  std::error_code failed;
  if (const fs::path path = history_path(); !path.empty()) fs::remove(path, failed);
}

}  // namespace haloscope::app::viewer
