#include "io/snapshots/unread_formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

bool all_digits(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "00080" of info_00080.txt and part_00080.out00001; empty: another name.
std::string ramses_number(const std::string& name) {
  for (const std::string kind : {"info_", "amr_", "hydro_", "part_", "grav_", "rt_", "sink_"}) {
    if (name.rfind(kind, 0) != 0) continue;
    const auto end = name.find('.', kind.size());
    const std::string number = name.substr(kind.size(), end - kind.size());
    if (end != std::string::npos && number.size() == 5 && all_digits(number)) return number;
  }
  return {};
}

// RAMSES writes its header as text, and one file of cells per process beside it.
bool is_ramses(const fs::path& folder) {
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  bool cells = false;
  std::string number;
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    const std::string own = ramses_number(name);
    if (own.empty()) continue;
    if (name.rfind("info_", 0) == 0 && name.ends_with(".txt")) number = own;
    cells = cells || name.find(".out") != std::string::npos;
  }
  return cells && !number.empty();
}

bool starts_with_type(const fs::path& file) {
  std::ifstream text(file);
  std::array<char, 6> head{};
  text.read(head.data(), std::streamsize(head.size()));
  return text.gcount() == std::streamsize(head.size()) &&
         std::equal(head.begin(), head.end(), "DTYPE:");
}

// A block of bigfile is a folder with a header in text; a file of it is a folder of blocks, those
// of particles by type ("1/Position").
bool is_bigfile_block(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "header", ignored) && starts_with_type(folder / "header");
}

bool is_bigfile(const fs::path& folder) {
  if (is_bigfile_block(folder)) return true;
  for (const char* block : {"Header", "header", "0/Position", "1/Position", "4/Position"})
    if (is_bigfile_block(folder / block)) return true;
  return false;
}

}  // namespace

std::optional<std::string> unread_format(const std::string& path) {
  std::error_code ignored;
  const fs::path given(path);
  const bool is_folder = fs::is_directory(given, ignored);
  if (is_folder && is_bigfile(given)) return "a bigfile folder (MP-Gadget, BlueTides)";
  const bool in_ramses = !is_folder && !ramses_number(given.filename().string()).empty();
  const fs::path beside = given.parent_path().empty() ? fs::path(".") : given.parent_path();
  if ((is_folder || in_ramses) && is_ramses(is_folder ? given : beside)) return "a RAMSES output";
  return {};
}

}  // namespace haloscope::io
