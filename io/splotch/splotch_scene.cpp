#include "io/splotch/splotch_scene.h"

#include "core/error.h"
#include "core/input_file.h"
#include "core/log.h"
#include "io/splotch/splotch_keys.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

namespace haloscope::io {

namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

bool is_number(const std::string& word) {
  std::istringstream stream(word);
  double value = 0;
  return stream >> value && stream.eof();
}

const std::vector<std::string> kOldColumns{"camera_x", "camera_y", "camera_z", "lookat_x",
                                           "lookat_y", "lookat_z", "sky_x",    "sky_y",
                                           "sky_z",    "fidx"};

// The table of a scene file: column names, and per row its words and where it stands.
struct SceneTable {
  struct Row {
    std::vector<std::string> values;
    std::string where;
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

SceneTable read_table(const std::string& path) {
  std::ifstream file = open_input(path, "scene file");
  SceneTable table;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const auto values = words(line.substr(0, line.find('#')));
    const std::string where = path + ":" + std::to_string(number);
    if (values.empty()) continue;
    if (table.columns.empty()) {
      bool old_format = values.size() == kOldColumns.size();
      for (const auto& value : values) old_format = old_format && is_number(value);
      table.columns = old_format ? kOldColumns : values;
      if (!old_format) continue;
    }
    if (values.size() != table.columns.size())
      throw Error("this row has " + std::to_string(values.size()) + " values, but there are " +
                      std::to_string(table.columns.size()) + " columns",
                  where, "give one value per column");
    table.rows.push_back({values, where});
  }
  if (table.rows.empty())
    throw Error("no frame in the scene file", path,
                "its first line names the columns, each further line is a frame");
  return table;
}

// Whether a column changes frames; says so where it does not.
bool takes_effect(const std::string& column, const std::string& where) {
  int type = 0;
  const SplotchKey* key = find_splotch_key(column, type);
  if (!key) {
    log::warn(where + ": column " + unknown_splotch_key(column));
  } else if (key->status == SplotchKeyStatus::FixedInScenes) {
    log::warn(where + ": column '" + column +
              "' has no effect, because Splotch reads it once from the parameter file");
    return false;
  }
  return key != nullptr && key->status != SplotchKeyStatus::Ignored;
}

void require(const SplotchParameters& p, const std::string& key, const std::string& where) {
  if (!p.has(key))
    throw Error("parameter " + key + " is missing", where,
                "add a line " + key + "=… to the parameter file");
}

void check_table_columns(const SplotchParameters& p, const std::string& where) {
  for (const char* key : {"num_blocks", "x", "y", "z", "C1"}) require(p, key, where);
  const std::pair<const char*, int> columns[] = {{"x", p.x},   {"y", p.y},  {"z", p.z},
                                                 {"r", p.r},   {"I", p.I},  {"C1", p.C1},
                                                 {"C2", p.C2}, {"C3", p.C3}};
  for (const auto& [key, column] : columns)
    if (column > p.num_blocks)
      throw Error(std::string("parameter ") + key + " is column " + std::to_string(column) +
                      ", but a row has num_blocks=" + std::to_string(p.num_blocks) + " columns",
                  where, "correct one of the two");
  for (const auto& [key, column] : {columns[0], columns[1], columns[2]})
    if (column < 1)
      throw Error(std::string("parameter ") + key + " names no column", where,
                  "columns count from 1");
}

void check_complete(const SplotchParameters& p, const std::string& where) {
  for (const char* key : {"simtype", "infile", "outfile", "camera_x", "camera_y", "camera_z",
                          "lookat_x", "lookat_y", "lookat_z"})
    require(p, key, where);
  if (p.simtype == SplotchInput::RawTable) check_table_columns(p, where);
  for (int t = 0; t < p.ptypes; ++t) {
    const auto& type = p.types[std::size_t(t)];
    if (!type.color_is_vector && type.palette.empty())
      require(p, "palette" + std::to_string(t), where);
  }
  if (p.center)
    for (const char* key : {"center_x", "center_y", "center_z"}) require(p, key, where);
  // Of an eye beside the center, the center alone must be elsewhere.
  if (p.center.value_or(p.camera) == p.lookat)
    throw Error(std::string(p.center ? "center" : "camera") + " and lookat are the same point",
                where, "move one of them");
}

std::string picture_name(const SplotchParameters& p, int number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%04d", number);
  return p.outfile + digits + (p.pictype == SplotchPicture::Ppm ? ".ppm" : ".tga");
}

SplotchFrame make_frame(SplotchParameters p, int number, const std::string& where) {
  check_complete(p, where);
  SplotchFrame frame;
  frame.number = number;
  frame.picture = picture_name(p, number);
  frame.parameters = std::move(p);
  return frame;
}

}  // namespace

std::vector<SplotchFrame> read_splotch_frames(const SplotchParameters& parameters) {
  std::vector<SplotchFrame> frames;
  if (parameters.scene_file.empty()) {
    frames.push_back(make_frame(parameters, 0, parameters.file));
    return frames;
  }
  const std::string path = find_splotch_file(parameters, parameters.scene_file);
  const SceneTable table = read_table(path);
  std::vector<bool> effective;
  for (const auto& column : table.columns) effective.push_back(takes_effect(column, path));

  // last_scene bounds the picture's number, which is the row's index.
  for (std::size_t row = std::size_t(parameters.scene_start);
       row < table.rows.size() && row < std::size_t(parameters.last_scene);
       row += std::size_t(parameters.scene_incr)) {
    const auto& [values, where] = table.rows[row];
    SplotchParameters p = parameters;
    for (std::size_t c = 0; c < values.size(); ++c)
      if (effective[c]) apply_splotch_parameter(p, table.columns[c], values[c], where);
    frames.push_back(make_frame(std::move(p), int(row), where));
    if (frames.size() > 1) {
      const SplotchFrame& before = frames[frames.size() - 2];
      frames.back().same_snapshot = splotch_snapshot_path(before.parameters) ==
                                    splotch_snapshot_path(frames.back().parameters);
    }
  }
  if (frames.empty())
    throw Error("scene_start=" + std::to_string(parameters.scene_start) +
                    " and last_scene=" + std::to_string(parameters.last_scene) +
                    " leave none of its " + std::to_string(table.rows.size()) + " frames",
                path, "choose smaller numbers");
  return frames;
}

}  // namespace haloscope::io
