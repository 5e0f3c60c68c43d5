#include "render/scene/map_look.h"

#include "core/error.h"
#include "core/particles.h"
#include "core/unit_words.h"
#include "io/loading/derived_fields.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace haloscope::render {

namespace {

// The unit of a role in words, from the first type that has it.
std::string unit_of_role(const SnapshotInfo& info, Role role, const std::string& otherwise) {
  for (const auto& [number, type] : info.types)
    if (const FieldInfo* found = type.find(role))
      if (!found->unit.empty()) return found->unit;
  return otherwise;
}

}  // namespace

std::string palette_of(const MapLook& look) {
  return look.color.color_map.empty() ? kMapPalette : look.color.color_map;
}

void require_map(const SnapshotInfo& info, const MapLook& look) {
  constexpr const char* kWhere = "map";
  if (look.type && !info.types.count(*look.type))
    throw Error(fmt::format("the snapshot has no particles of type {} ({}), whose map is asked for",
                            *look.type, type_name(*look.type)),
                kWhere, "choose another type: map TYPE");
  if (look.cells)
    require_cells(info, look.type ? std::vector<int>{*look.type} : std::vector<int>{});
  if (look.field.empty()) return;
  if (!look.type)
    throw Error("the mean of " + look.field + " in a map is that of one type of particles", kWhere,
                "name the type: map TYPE " + look.field);
  if (look.field == kLocalDensity)
    throw Error(std::string(kLocalDensity) + " is made while a picture is drawn and has no mean",
                kWhere, "choose a field of the snapshot (haloscope info lists them)");
  if (const int components = io::plan_field(info, *look.type, look.field).components;
      components != 1)
    throw Error(fmt::format("{} has {} components, and a map shows one", look.field, components),
                kWhere, fmt::format("name one of them: {}[0]", look.field));
}

void require_cells(const SnapshotInfo& info, const std::vector<int>& types) {
  constexpr const char* kWhere = "cells";
  if (types != std::vector<int>{kCellType} || !info.types.count(kCellType))
    throw Error("cells are those of gas", kWhere,
                info.types.count(kCellType) ? "choose gas alone, or leave the cells out"
                                            : "the snapshot has none: leave the cells out");
  const auto size = info.smoothing_lengths.find(kCellType);
  if (size == info.smoothing_lengths.end() ||
      size->second.kind == SmoothingLengthMeaning::Kind::Length)
    throw Error("the gas of this snapshot is no mesh: the file tells no volumes of cells", kWhere,
                "leave the cells out");
}

std::vector<compute::splotch::Appearance> map_appearances(
    std::vector<compute::splotch::Appearance> appearances, const std::vector<int>& types,
    const MapLook& look) {
  for (std::size_t k = 0; k < appearances.size(); ++k) {
    const bool left_out = look.type && types[k] != *look.type;
    // The renderer draws nothing of a particle whose radius is negative.
    if (left_out) appearances[k].fixed_radius = -1;
    // Without a mean the color is not read: values that are no numbers lose no mass.
    appearances[k].uses_color = !left_out && !look.field.empty();
    appearances[k].tints.clear();
  }
  return appearances;
}

std::string map_length_unit(const SnapshotInfo& info) {
  return unit_of_role(info, Role::Position, "code length");
}

std::string map_unit(const SnapshotInfo& info, const std::vector<int>& types,
                     const std::string& field) {
  if (field.empty())
    return grouped_unit(unit_of_role(info, Role::Mass, io::mass_unit(info.units))) + "/" +
           unit_power(map_length_unit(info), 2);
  for (const int type : types) {
    const auto plan = io::plan_field(info, type, field);
    if (!plan.unit.empty()) return plan.unit;
  }
  return {};
}

std::string map_title(const SnapshotInfo& info, const std::vector<int>& types,
                      const MapLook& look) {
  const std::vector<int> mapped = look.type ? std::vector<int>{*look.type} : types;
  std::vector<std::string> names;
  if (mapped.size() < info.types.size())
    for (const int type : mapped) names.push_back(info.types.at(type).name);
  const std::string unit = map_unit(info, mapped, look.field);
  return fmt::format("{}{}{}{}", look.field.empty() ? "surface density" : "mean " + look.field,
                     names.empty() ? "" : " of ", fmt::join(names, ", "),
                     unit.empty() ? unit : " [" + unit + "]");
}

}  // namespace haloscope::render
