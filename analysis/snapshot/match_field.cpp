#include "analysis/snapshot/match_field.h"

#include "analysis/made_fields/field_makers.h"
#include "core/edit_distance.h"
#include "core/error.h"
#include "core/particles.h"
#include "core/text_values.h"
#include "io/loading/derived_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace haloscope::analysis {

namespace {

std::vector<std::string> names_of(const SnapshotInfo& info, const std::vector<int>& types) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (int type : types) {
    for (const auto& field : info.types.at(type).fields) add(field.name);
    for (const auto& field : io::derived_fields(info, type)) add(field.name);
  }
  add(kLocalDensity);
  return names;
}

}  // namespace

std::string match_field(const SnapshotInfo& info, const std::vector<int>& types,
                        const std::string& word) {
  const auto bracket = word.find('[');
  const std::string field = word.substr(0, bracket);
  const std::string component = bracket == std::string::npos ? "" : word.substr(bracket);
  const std::vector<std::string> names = names_of(info, types);
  for (const auto& name : names)
    if (name == word || name == field) return word;
  std::vector<std::string> alike;
  for (const auto& name : names)
    if (lower_case(name) == lower_case(field)) alike.push_back(name);
  if (alike.size() == 1) return alike.front() + component;
  const std::string file = info.files.empty() ? "" : info.files.front();
  if (alike.size() > 1)
    throw Error(fmt::format("{} could be {}", word, fmt::join(alike, " or ")), file,
                "give its upper and lower case");
  std::vector<std::string> type_names;
  for (int type : types) type_names.push_back(info.types.at(type).name);
  if (const TypeInfo* lacks = type_without_mass(info);
      lacks && lower_case(field) == "treepotential")
    throw Error(fmt::format("TreePotential is made of the masses of all particles, and {} has none",
                            lacks->name),
                file, fmt::format("choose among {}", fmt::join(names, ", ")));
  const auto nearest = nearest_word(field, names);
  throw Error(fmt::format("there is no field {} of {}", field, fmt::join(type_names, ", ")), file,
              (nearest ? "did you mean " + *nearest + "? There are " : std::string("there are ")) +
                  fmt::format("{}", fmt::join(names, ", ")));
}

bool type_has_field(const SnapshotInfo& info, int type, const std::string& field) {
  const std::string name = field.substr(0, field.find('['));
  if (info.types.at(type).find(field) || info.types.at(type).find(name)) return true;
  const auto derived = io::derived_fields(info, type);
  return std::any_of(derived.begin(), derived.end(),
                     [&](const FieldInfo& one) { return one.name == field; });
}

}  // namespace haloscope::analysis
