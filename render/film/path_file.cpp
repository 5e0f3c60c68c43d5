#include "render/film/path_file.h"

#include "core/edit_distance.h"
#include "core/error.h"
#include "core/input_file.h"
#include "render/files/image_file.h"
#include "render/film/splotch_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <toml++/toml.h>

namespace haloscope::render {

namespace {

// Half a million keys; whatever is larger is something else.
constexpr std::uintmax_t kLargestPath = 64u << 20;

const std::vector<std::string> kFileWords{"fps", "key"};
const std::vector<std::string> kKeyWords{"time",  "eye",      "target", "up",      "fov",
                                         "ortho", "exposure", "range",  "snapshot"};

// Reads the tables of one file.
class PathReader {
 public:
  explicit PathReader(std::string path) : path_(std::move(path)) {}

  PathFile read(const toml::table& table) {
    PathFile file;
    file.path = path_;
    require_known(table, kFileWords);
    if (const toml::node* node = table.get("fps")) {
      file.fps = number(*node, "fps");
      if (!(*file.fps > 0))
        fail(*node, "fps is not positive", "give frames per second, as in fps = 30");
    }
    const toml::node* keys = table.get("key");
    if (!keys)
      throw Error("the path has no key", path_,
                  "write one [[key]] with eye and target per keyframe");
    const toml::array* list = keys->as_array();
    if (!list || !list->is_homogeneous(toml::node_type::table))
      fail(*keys, "key is no list of tables",
           "write [[key]] in double brackets before each keyframe");
    for (const toml::node& one : *list) file.keys.push_back(read_key(*one.as_table()));
    return file;
  }

 private:
  [[noreturn]] void fail(const toml::node& node, const std::string& what,
                         const std::string& remedy) const {
    throw Error(what, fmt::format("{}:{}", path_, node.source().begin.line), remedy);
  }

  void require_known(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [word, node] : table) {
      const std::string name(word.str());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const auto nearest = nearest_word(name, known);
      throw Error("there is no word " + name, fmt::format("{}:{}", path_, word.source().begin.line),
                  nearest ? "did you mean " + *nearest + "?"
                          : fmt::format("there are {}", fmt::join(known, ", ")));
    }
  }

  double number(const toml::node& node, const std::string& word) const {
    const auto value = node.value<double>();
    if (!node.is_number() || !value || !std::isfinite(*value))
      fail(node, word + " is not a finite number", "write it as in " + word + " = 1.5");
    return *value;
  }

  template <std::size_t N>
  std::array<double, N> numbers(const toml::node& node, const std::string& word) const {
    const toml::array* list = node.as_array();
    if (!list || list->size() != N)
      fail(node, fmt::format("{} is no list of {} numbers", word, N),
           fmt::format("write it as in {} = [{}]", word, N == 2 ? "1e4, 1e7" : "1.0, 2.0, 3.0"));
    std::array<double, N> values{};
    for (std::size_t i = 0; i < N; ++i) values[i] = number((*list)[i], word);
    return values;
  }

  PathKey read_key(const toml::table& table) const {
    require_known(table, kKeyWords);
    PathKey key;
    const auto set_number = [&](const char* word, std::optional<double>& value) {
      if (const toml::node* node = table.get(word)) value = number(*node, word);
    };
    const auto set_vector = [&](const char* word, std::optional<std::array<double, 3>>& value) {
      if (const toml::node* node = table.get(word)) value = numbers<3>(*node, word);
    };
    set_number("time", key.time);
    set_vector("eye", key.camera.eye);
    set_vector("target", key.camera.target);
    set_vector("up", key.camera.up);
    set_number("fov", key.camera.fov_degrees);
    set_number("ortho", key.camera.ortho_width);
    set_number("exposure", key.exposure_ev);
    set_number("snapshot", key.snapshot);
    if (const toml::node* node = table.get("range")) key.range = numbers<2>(*node, "range");
    check(table, key);
    return key;
  }

  void check(const toml::table& table, const PathKey& key) const {
    if (key.camera.fov_degrees && key.camera.ortho_width)
      fail(*table.get("ortho"), "fov (perspective) and ortho (orthographic) exclude each other",
           "give one of them");
    if (key.camera.ortho_width && !(*key.camera.ortho_width > 0))
      fail(*table.get("ortho"), "ortho is not positive", "give the width of the view");
    if (key.range && !((*key.range)[0] < (*key.range)[1]))
      fail(*table.get("range"), "range does not ascend", "write range = [LOW, HIGH]");
    if (key.snapshot && *key.snapshot < 0)
      fail(*table.get("snapshot"), "snapshot is negative",
           "the film's snapshots are counted from 0");
  }

  std::string path_;
};

std::string text_of(const std::string& path) {
  std::ifstream file = open_input(path, "path");
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) throw Error("the path cannot be read", path, "check its name and permissions");
  if (size > kLargestPath) throw Error("the file is too large for a path", path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void put_vector(std::string& text, const char* word,
                const std::optional<std::array<double, 3>>& v) {
  if (v) text += fmt::format("{} = [{}, {}, {}]\n", word, (*v)[0], (*v)[1], (*v)[2]);
}

void put_number(std::string& text, const char* word, const std::optional<double>& value) {
  // fmt writes the shortest digits that read back to the same double.
  if (value) text += fmt::format("{} = {}\n", word, *value);
}

// Places of `snapshots` snapshots that pass at a constant rate.
void spread_evenly(std::size_t snapshots, std::vector<CameraKey>& keys) {
  const double begin = keys.front().time, end = keys.back().time;
  if (!(end > begin)) return;
  for (CameraKey& key : keys)
    key.snapshot = double(snapshots - 1) * ((key.time - begin) / (end - begin));
}

}  // namespace

bool PathKey::operator==(const PathKey& other) const {
  const auto &a = camera, &b = other.camera;
  return time == other.time && a.eye == b.eye && a.target == b.target && a.up == b.up &&
         a.fov_degrees == b.fov_degrees && a.ortho_width == b.ortho_width &&
         exposure_ev == other.exposure_ev && range == other.range && snapshot == other.snapshot;
}

PathFile parse_path(const std::string& text, const std::string& path) {
  try {
    return PathReader(path).read(toml::parse(std::string_view(text)));
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    // The library quotes ends of lines as they are.
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw Error(what, fmt::format("{}:{}", path, error.source().begin.line),
                "write lines such as eye = [1.0, 2.0, 3.0] below [[key]]");
  }
}

PathFile read_path(const std::string& path, std::optional<double> fps) {
  const std::string text = text_of(path);
  if (lower_extension(path) != ".toml" && is_splotch_text(text))
    return read_splotch_path(path, text, fps.value_or(kDefaultFps));
  return parse_path(text, path);
}

std::string path_as_toml(const PathFile& file) {
  std::string text =
      "# A camera path of haloscope: times in seconds, lengths as in the snapshot.\n";
  put_number(text, "fps", file.fps);
  for (const PathKey& key : file.keys) {
    text += "\n[[key]]\n";
    put_number(text, "time", key.time);
    put_vector(text, "eye", key.camera.eye);
    put_vector(text, "target", key.camera.target);
    put_vector(text, "up", key.camera.up);
    put_number(text, "fov", key.camera.fov_degrees);
    put_number(text, "ortho", key.camera.ortho_width);
    put_number(text, "exposure", key.exposure_ev);
    if (key.range) text += fmt::format("range = [{}, {}]\n", (*key.range)[0], (*key.range)[1]);
    put_number(text, "snapshot", key.snapshot);
  }
  return text;
}

CameraPath complete_path(const PathFile& file, const PathDefaults& defaults) {
  std::vector<CameraKey> keys;
  for (const PathKey& given : file.keys) {
    CameraKey key;
    if (keys.empty()) {
      const compute::splotch::View view = defaults.view(given.camera);
      key.eye = view.eye;
      key.target = view.target;
      key.up = view.up;
      key.fov_degrees = view.fov_degrees;
      key.ortho_width = view.perspective ? 0 : view.ortho_width;
      key.exposure_ev = defaults.exposure_ev;
      key.range = defaults.range;
    } else {
      key = keys.back();
      key.time += 1;
      const CameraChoice& camera = given.camera;
      key.eye = camera.eye.value_or(key.eye);
      key.target = camera.target.value_or(key.target);
      key.up = camera.up.value_or(key.up);
      if (camera.fov_degrees) key.ortho_width = 0;
      key.fov_degrees = camera.fov_degrees.value_or(key.fov_degrees);
      key.ortho_width = camera.ortho_width.value_or(key.ortho_width);
    }
    key.time = given.time.value_or(key.time);
    key.exposure_ev = given.exposure_ev.value_or(key.exposure_ev);
    key.snapshot = given.snapshot.value_or(key.snapshot);
    if (given.range)
      key.range = {defaults.transformed_limit((*given.range)[0]),
                   defaults.transformed_limit((*given.range)[1])};
    keys.push_back(key);
  }
  const bool placed = std::any_of(file.keys.begin(), file.keys.end(),
                                  [](const PathKey& key) { return key.snapshot.has_value(); });
  if (!placed && !keys.empty()) spread_evenly(defaults.snapshots, keys);
  return CameraPath(std::move(keys), file.path);
}

}  // namespace haloscope::render
