#include "render/colors/palette.h"

#include "core/assets.h"
#include "core/check.h"
#include "core/edit_distance.h"
#include "core/error.h"
#include "core/input_file.h"
#include "core/log.h"
#include "core/text_values.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <system_error>

namespace haloscope::render {

namespace fs = std::filesystem;

namespace {

constexpr const char* kReversedSuffix = "_r";
constexpr std::size_t kSuggestions = 3;

std::string without_suffix(const std::string& name, const std::string& suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

std::string nearest_names(const std::string& name, std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return edit_distance(name, lower_case(a)) < edit_distance(name, lower_case(b));
  });
  std::string list;
  for (std::size_t i = 0; i < std::min(kSuggestions, names.size()); ++i)
    list += (i == 0 ? "" : ", ") + names[i];
  return list;
}

// One line of a palette file, counted from 1, with carriage returns of other systems taken off.
class Lines {
 public:
  explicit Lines(const std::string& path)
      : path_(path), stream_(open_input(path, "palette file")) {}

  bool next(std::string& line) {
    if (!std::getline(stream_, line)) return false;
    ++number_;
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    return true;
  }

  [[noreturn]] void bad(const std::string& what) const {
    throw BadFile("not a valid palette: line " + std::to_string(number_) + " " + what, path_,
                  "a palette file holds a name, 0100, the number of colors N, and N lines R G B "
                  "from 0 to 255");
  }
  [[noreturn]] void ended(const std::string& missing) const {
    throw BadFile("not a valid palette: it ends after line " + std::to_string(number_) + " where " +
                      missing + " should follow",
                  path_);
  }

 private:
  std::string path_;
  std::ifstream stream_;
  int number_ = 0;
};

bool parse(const std::string& line, double* values, int count) {
  std::istringstream words(line);
  words.imbue(std::locale::classic());
  for (int i = 0; i < count; ++i)
    if (!(words >> values[i])) return false;
  std::string rest;
  return !(words >> rest);
}

}  // namespace

Palette read_palette(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw Error("this is a folder, not a palette file", path);
  Lines lines(path);
  Palette palette;
  std::string line;
  double number = 0;
  if (!lines.next(palette.name)) lines.ended("a name");
  if (!lines.next(line)) lines.ended("0100");
  if (line != "0100") lines.bad("should be 0100");
  if (!lines.next(line)) lines.ended("the number of colors");
  if (!parse(line, &number, 1) || !(number <= 1e9) || number != std::floor(number))
    lines.bad("should be the number of colors");
  if (number < 2) lines.bad("says fewer than 2 colors");
  const std::size_t count = std::size_t(number);
  while (palette.colors.size() < count) {
    if (!lines.next(line))
      lines.ended(std::to_string(count - palette.colors.size()) + " more of " +
                  std::to_string(count) + " colors");
    double rgb[3];
    if (!parse(line, rgb, 3)) lines.bad("should be three numbers R G B");
    for (double component : rgb)
      if (!(component >= 0 && component <= 255)) lines.bad("has a color outside 0 to 255");
    palette.colors.push_back({float(rgb[0] / 255), float(rgb[1] / 255), float(rgb[2] / 255)});
  }
  while (lines.next(line))
    if (!line.empty()) {
      log::warn("palette file has more lines than it says; the rest is ignored", path);
      break;
    }
  return palette;
}

std::vector<std::string> palette_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(asset_path("palettes")))
    if (entry.path().extension() == ".pal") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Palette reversed(Palette palette) {
  std::reverse(palette.colors.begin(), palette.colors.end());
  palette.name = palette.name.ends_with(kReversedSuffix)
                     ? without_suffix(palette.name, kReversedSuffix)
                     : palette.name + kReversedSuffix;
  return palette;
}

bool is_palette_file(const std::string& name_or_file) {
  return lower_case(name_or_file).ends_with(".pal") || name_or_file.find('/') != std::string::npos;
}

Palette find_palette(const std::string& name_or_file) {
  if (is_palette_file(name_or_file)) return read_palette(name_or_file);

  const std::vector<std::string> names = palette_names();
  const std::string wanted = lower_case(name_or_file);
  const std::string forward = without_suffix(wanted, kReversedSuffix);
  for (const std::string& name : names)
    if (lower_case(name) == wanted || lower_case(name) == forward) {
      Palette palette = read_palette(asset_path("palettes/" + name + ".pal").string());
      return lower_case(name) == wanted ? palette : reversed(std::move(palette));
    }
  std::error_code error;
  if (fs::is_regular_file(name_or_file, error)) return read_palette(name_or_file);
  throw Error("no color map is called \"" + name_or_file + "\"; the nearest are " +
                  nearest_names(forward, names),
              {},
              "all are in " + asset_path("palettes").string() + ", and a .pal file can be given");
}

std::array<float, 3> sample(const Palette& palette, float t) {
  const auto& colors = palette.colors;
  HALOSCOPE_CHECK(colors.size(), >=, std::size_t(2));
  if (!(t > 0)) return colors.front();
  if (t >= 1) return colors.back();
  const float position = t * float(colors.size() - 1);
  const std::size_t k = std::min(std::size_t(position), colors.size() - 2);
  const float weight = position - float(k);
  std::array<float, 3> color;
  for (std::size_t c = 0; c < 3; ++c)
    color[c] = colors[k][c] + weight * (colors[k + 1][c] - colors[k][c]);
  return color;
}

}  // namespace haloscope::render
