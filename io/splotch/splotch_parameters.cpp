#include "io/splotch/splotch_parameters.h"

#include "core/error.h"
#include "core/input_file.h"
#include "core/log.h"
#include "io/splotch/splotch_keys.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

std::string trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\f\v");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\f\v") - first + 1);
}

bool is_harmless(const SplotchKey& key, const SplotchValue& value) {
  if (key.harmless.empty()) return false;
  if (key.harmless == "F") return !value.boolean();
  return value.number() == SplotchValue("", std::string(key.harmless), "").number();
}

// "012": Splotch pads snapshot numbers to three digits.
std::string three_digits(int number) {
  char text[16];
  std::snprintf(text, sizeof text, "%03d", number);
  return text;
}

// Defaults that depend on other keys; after this the data mean what they say.
void resolve_defaults(SplotchParameters& p) {
  if (!p.has("yres")) p.yres = p.xres;
  if (!p.has("swap_endian")) p.swap_endian = p.simtype == SplotchInput::RawTable;
  if (p.types.size() < std::size_t(p.ptypes)) p.types.resize(std::size_t(p.ptypes));
}

void warn_of_unused_sizes(const SplotchParameters& p) {
  if (p.simtype == SplotchInput::RawTable) return;
  for (int t = 0; t < p.ptypes; ++t) {
    const std::string number = std::to_string(t);
    if (p.has("size_label" + number) && p.types[std::size_t(t)].size_fix != 0)
      log::warn(p.file + ": size_label" + number + " has no effect, because size_fix" + number +
                (p.has("size_fix" + number) ? " is not 0" : " is not given and then is 1"));
  }
}

}  // namespace

void apply_splotch_parameter(SplotchParameters& parameters, const std::string& key,
                             const std::string& value, const std::string& where) {
  int type = 0;
  const SplotchKey* known = find_splotch_key(key, type);
  if (!known) {
    log::warn(where + ": " + unknown_splotch_key(key));
    return;
  }
  const SplotchValue text(key, value, where);
  if (known->status == SplotchKeyStatus::Ignored) return;
  if (known->status == SplotchKeyStatus::Unsupported) {
    if (!is_harmless(*known, text))
      throw Error("parameter " + key + "=" + value + " " + std::string(known->meaning) +
                      ", which haloscope does not support yet",
                  where,
                  known->harmless.empty()
                      ? "remove the line"
                      : "remove the line or set it to " + std::string(known->harmless));
    return;
  }
  if (known->per_type) {
    if (parameters.types.size() <= std::size_t(type))
      parameters.types.resize(std::size_t(type) + 1);
    known->set_type(parameters.types[std::size_t(type)], text);
  } else {
    known->set(parameters, text);
  }
  parameters.given.insert(key);
}

SplotchParameters read_splotch_parameters(const std::string& path) {
  std::ifstream file = open_input(path, "Splotch parameter file");
  SplotchParameters parameters;
  parameters.file = path;
  std::map<std::string, int> line_of;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string where = path + ":" + std::to_string(number);
    if (line.find('\0') != std::string::npos)
      throw Error("this is not a text file", where, "give a Splotch parameter file (key=value)");
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // byte order mark
    const std::string text = trim(line.substr(0, line.find('#')));
    if (text.empty()) continue;
    const auto equals = text.find('=');
    const std::string key = trim(text.substr(0, equals));
    if (equals == std::string::npos || key.empty()) {
      log::warn(where + ": '" + text + "' is not of the form key=value and has no effect");
      continue;
    }
    const auto [former, is_new] = line_of.try_emplace(key, number);
    if (!is_new)
      log::warn(where + ": " + key + " stands in line " + std::to_string(former->second) +
                " already; this later line wins");
    former->second = number;
    apply_splotch_parameter(parameters, key, trim(text.substr(equals + 1)), where);
  }
  if (file.bad()) throw Error("reading failed", path, "check the disk");
  if (line_of.empty())
    throw Error("no key=value line in the Splotch parameter file", path, "check the file");
  resolve_defaults(parameters);
  warn_of_unused_sizes(parameters);
  return parameters;
}

std::string find_splotch_file(const SplotchParameters& parameters, const std::string& name) {
  std::error_code ignored;
  if (name.empty() || fs::path(name).is_absolute() || fs::exists(name, ignored)) return name;
  const fs::path beside = fs::path(parameters.file).parent_path() / name;
  return fs::exists(beside, ignored) ? beside.string() : name;
}

std::string splotch_snapshot_path(const SplotchParameters& p) {
  if (p.simtype == SplotchInput::RawTable) return p.infile;
  const int number =
      p.snapshot_base1.value_or(int(p.fidx / p.snapshot_spacing) * p.snapshot_spacing);
  std::string path;
  if (!p.datadir.empty()) path += p.datadir + "/";
  if (!p.snapdir.empty()) path += p.snapdir + three_digits(number) + "/";
  path += p.infile + three_digits(number);
  if (p.numfiles > 1) path += ".0";
  if (p.simtype == SplotchInput::GadgetHdf5) path += ".hdf5";
  return path;
}

OpenOptions::RawTable splotch_raw_table(const SplotchParameters& p) {
  OpenOptions::RawTable table;
  table.columns_per_row = p.num_blocks;
  table.x = p.x;
  table.y = p.y;
  table.z = p.z;
  table.radius = p.r;
  table.intensity = p.I;
  table.color[0] = p.C1;
  table.color[1] = p.C2;
  table.color[2] = p.C3;
  table.swap_endian = p.swap_endian;
  return table;
}

}  // namespace haloscope::io
