#include "render/film/finished_frames.h"

#include "core/error.h"
#include "core/visible_text.h"
#include "render/files/png_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace haloscope::render {

namespace {

constexpr const char* kRemedy = "choose another name, or replace such frames with --overwrite";

// The first word of the scene that differs; empty where the texts are no scenes.
std::string first_difference(const std::string& one, const std::string& other) {
  const auto a = nlohmann::json::parse(one, nullptr, false);
  const auto b = nlohmann::json::parse(other, nullptr, false);
  if (!a.is_object() || !b.is_object()) return {};
  for (const auto& [word, value] : b.items())
    if (!a.contains(word) || a.at(word) != value) return word;
  return {};
}

}  // namespace

bool is_finished_frame(const FilmName& name, std::size_t n, const ImageText& text) {
  const std::string path = name.frame(n);
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return false;
  if (lower_extension(path) != ".png")
    throw Error("a file of this name is there, and its format does not tell what it shows", path,
                kRemedy);
  ImageText found;
  try {
    found = read_png_text(path);
  } catch (const NotThisFormat&) {
    throw Error("a file of this name is there, which is no picture", path, kRemedy);
  } catch (const BadFile&) {
    throw Error("a damaged picture is there", path, kRemedy);
  }
  for (const auto& [word, value] : text) {
    // As the picture has it.
    if (found.contains(word) && found.at(word) == visible_text(value)) continue;
    const std::string difference =
        word == "Scene" && found.contains(word) ? first_difference(found.at(word), value) : word;
    throw Error(fmt::format("a picture of other parameters is there{}",
                            difference.empty() ? "" : " (another " + difference + ")"),
                path, kRemedy);
  }
  return true;
}

nlohmann::json fingerprint(const SnapshotInfo& info) {
  nlohmann::json files = nlohmann::json::array();
  for (const auto& file : info.files) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(file, failed);
    const auto changed = std::filesystem::last_write_time(file, failed).time_since_epoch().count();
    files.push_back({size, changed});
  }
  return files;
}

std::string duration_in_words(double seconds) {
  const auto whole = [](double value) { return long(std::lround(value)); };
  if (seconds < 90) return fmt::format("{} s", whole(seconds));
  if (seconds < 5400) return fmt::format("{} min", whole(seconds / 60));
  const long minutes = whole(seconds / 60);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace haloscope::render
