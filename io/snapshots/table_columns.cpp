#include "io/snapshots/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace haloscope::io {

namespace {

using Trio = std::array<std::string, 3>;

// Names of three components: a stem with an ending for each axis, with or without `_` between, and
// the axis first, as in xpos.
std::vector<Trio> spellings(const std::vector<const char*>& stems, const std::vector<Trio>& own) {
  std::vector<Trio> all = own;
  const std::array<Trio, 3> endings{Trio{"x", "y", "z"}, {"0", "1", "2"}, {"1", "2", "3"}};
  for (const std::string stem : stems)
    for (const auto& ending : endings)
      for (const std::string between : {"", "_"}) {
        Trio trio, reversed;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          trio[axis] = stem + between + ending[axis];
          reversed[axis] = ending[axis] + between + stem;
        }
        all.push_back(trio);
        if (ending[0] == "x") all.push_back(reversed);
      }
  return all;
}

const std::vector<Trio>& position_names() {
  static const std::vector<Trio> names =
      spellings({"pos", "position", "positions", "coord", "coords", "coordinate", "coordinates",
                 "points", "particle_position"},
                {{"x", "y", "z"}});
  return names;
}

const std::vector<Trio>& velocity_names() {
  static const std::vector<Trio> names =
      spellings({"v", "vel", "velocity", "velocities", "particle_velocity"}, {});
  return names;
}

const std::map<std::string, const char*>& scalar_names() {
  static const std::map<std::string, const char*> names{
      {"m", "Masses"},
      {"mass", "Masses"},
      {"masses", "Masses"},
      {"particle_mass", "Masses"},
      {"h", "SmoothingLength"},
      {"hsml", "SmoothingLength"},
      {"smoothinglength", "SmoothingLength"},
      {"smoothinglengths", "SmoothingLength"},
      {"smoothing_length", "SmoothingLength"},
      {"smoothing_lengths", "SmoothingLength"},
      {"id", "ParticleIDs"},
      {"ids", "ParticleIDs"},
      {"pid", "ParticleIDs"},
      {"particleid", "ParticleIDs"},
      {"particleids", "ParticleIDs"},
      {"particle_id", "ParticleIDs"},
      {"particle_ids", "ParticleIDs"},
      {"iord", "ParticleIDs"},
  };
  return names;
}

bool is_type_name(const std::string& plain) {
  static const std::set<std::string> names{"type", "ptype", "parttype", "particle_type",
                                           "particletype"};
  return names.count(plain) > 0;
}

// Where the unit in brackets at the end of a name begins; npos: there is none. A number alone is
// an index, as in pos[0].
std::size_t unit_start(const std::string& name) {
  const std::size_t last = name.find_last_not_of(" \t\"'");
  if (last == std::string::npos || (name[last] != ']' && name[last] != ')'))
    return std::string::npos;
  const std::size_t open = name.find_last_of(name[last] == ']' ? '[' : '(', last);
  if (open == std::string::npos || open == 0 || open + 1 >= last) return std::string::npos;
  const bool index =
      std::all_of(name.begin() + std::ptrdiff_t(open) + 1, name.begin() + std::ptrdiff_t(last),
                  [](unsigned char c) { return std::isdigit(c) != 0; });
  return index ? std::string::npos : open;
}

// The columns of the first spelling of which all three are there; empty: none.
std::vector<int> find_trio(const std::vector<std::string>& plain, const std::vector<Trio>& names,
                           const std::vector<bool>& taken) {
  for (const auto& trio : names) {
    std::vector<int> columns;
    for (const auto& name : trio) {
      const auto found = std::find(plain.begin(), plain.end(), name);
      if (found == plain.end() || taken[std::size_t(found - plain.begin())]) break;
      columns.push_back(int(found - plain.begin()));
    }
    if (columns.size() == 3) return columns;
  }
  return {};
}

bool ends_with_word(const std::string& name, const std::string& word) {
  return name.size() > word.size() + 1 && name.ends_with("_" + word);
}

// The columns of names that carry a word before a known spelling, the same in all three:
// "halo_pos_x". Single letters are no evidence there: "spin_x" is no position. Empty where there
// are none, or several, of which nobody can tell which is meant.
std::vector<int> find_prefixed_trio(const std::vector<std::string>& plain,
                                    const std::vector<Trio>& names,
                                    const std::vector<bool>& taken) {
  std::set<std::vector<int>> found;
  for (const auto& trio : names) {
    if (trio[0].size() < 3) continue;
    for (std::size_t c = 0; c < plain.size(); ++c) {
      if (taken[c] || !ends_with_word(plain[c], trio[0])) continue;
      const std::string before = plain[c].substr(0, plain[c].size() - trio[0].size());
      std::vector<int> columns{int(c)};
      for (std::size_t axis = 1; axis < 3; ++axis) {
        const auto other = std::find(plain.begin(), plain.end(), before + trio[axis]);
        if (other != plain.end() && !taken[std::size_t(other - plain.begin())])
          columns.push_back(int(other - plain.begin()));
      }
      if (columns.size() == 3) found.insert(columns);
    }
  }
  return found.size() == 1 ? *found.begin() : std::vector<int>{};
}

}  // namespace

std::string plain_column_name(const std::string& name) {
  std::string plain;
  for (const unsigned char c : name.substr(0, unit_start(name))) {
    if (std::isalnum(c) || c >= 0x80)
      plain += char(std::tolower(c));
    else if (!plain.empty() && plain.back() != '_' && c != '"' && c != '\'')
      plain += '_';
  }
  while (!plain.empty() && plain.back() == '_') plain.pop_back();
  return plain;
}

std::string column_unit(const std::string& name) {
  const std::size_t open = unit_start(name);
  if (open == std::string::npos) return {};
  const std::size_t last = name.find_last_of("])");
  return name.substr(open + 1, last - open - 1);
}

TableMapping map_columns(const std::vector<std::string>& names) {
  TableMapping mapping;
  std::vector<std::string> plain;
  for (const auto& name : names) plain.push_back(plain_column_name(name));
  std::vector<bool> taken(names.size(), false);
  for (const auto& [field, trios] :
       {std::pair{"Coordinates", &position_names()}, std::pair{"Velocities", &velocity_names()}}) {
    std::vector<int> columns = find_trio(plain, *trios, taken);
    if (columns.empty() && std::string(field) == "Coordinates")
      columns = find_prefixed_trio(plain, *trios, taken);
    if (columns.empty()) continue;
    mapping.positions = mapping.positions || std::string(field) == "Coordinates";
    mapping.fields.push_back({field, columns});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      taken[std::size_t(columns[axis])] = true;
      mapping.sentences.push_back(
          fmt::format("{}→{}[{}]", names[std::size_t(columns[axis])], field, axis));
    }
  }
  std::set<std::string> used{"Coordinates", "Velocities"};
  // Translated names come first, so that a column of that very name cannot take their place.
  for (const bool translate : {true, false})
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (taken[c] || plain[c].empty()) continue;
      const auto known = scalar_names().find(plain[c]);
      const bool type = is_type_name(plain[c]) && !mapping.type;
      if (translate && known == scalar_names().end() && !type) continue;
      if (translate && !type && used.count(known->second)) continue;
      taken[c] = true;
      if (translate && type) {
        mapping.type = int(c);
        mapping.sentences.push_back(names[c] + "→particle type");
        continue;
      }
      const std::string own = names[c].substr(0, unit_start(names[c]));
      std::string field = translate ? known->second : own;
      while (!field.empty() && (field.back() == ' ' || field.back() == '"')) field.pop_back();
      const std::string stem = field;
      for (int again = 2; used.count(field); ++again) field = fmt::format("{}_{}", stem, again);
      used.insert(field);
      if (field != names[c]) mapping.sentences.push_back(names[c] + "→" + field);
      mapping.fields.push_back({field, {int(c)}});
    }
  return mapping;
}

}  // namespace haloscope::io
