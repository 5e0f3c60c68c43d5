#include "app/viewer/panels/map_controls.h"

#include "app/session/toml_writer.h"
#include "app/viewer/panels/color_controls.h"
#include "app/viewer/panels/scene_words.h"
#include "app/viewer/panels/tone_controls.h"
#include "core/particles.h"

#include <fmt/format.h>

#include <imgui.h>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

constexpr const char* kSurfaceDensity = "surface density";

std::string name_of(const SceneModel& scene, const std::optional<int>& type) {
  if (!type) return "all types";
  const auto known = scene.info.types.find(*type);
  return known == scene.info.types.end() ? type_name(*type) : known->second.name;
}

void choose_mass(const PanelInput& input) {
  const render::MapLook& map = input.state.map;
  if (!ImGui::BeginCombo("Mass of", name_of(*input.scene, map.type).c_str())) return;
  if (ImGui::Selectable("all types", !map.type)) input.emit("map all");
  for (const int type : input.scene->types)
    if (ImGui::Selectable(name_of(*input.scene, type).c_str(), map.type == type))
      input.emit("map " + type_word(*input.scene, type));
  ImGui::EndCombo();
}

// Those that have a mean.
std::vector<std::string> fields_of(const PanelInput& input, int type) {
  if (!input.facts) return {};
  const auto known = input.facts->fields.find(type);
  if (known == input.facts->fields.end()) return {};
  std::vector<std::string> fields = known->second;
  std::erase(fields, kLocalDensity);
  return fields;
}

// The command for a map of the type that is mapped now; `field`: empty for the surface density.
std::string map_line(const PanelInput& input, const std::string& field, bool cells) {
  const std::optional<int>& type = input.state.map.type;
  const std::string quantity = field.empty() ? "surface_density" : session::quoted(field);
  return fmt::format("map {} {}{}", type ? type_word(*input.scene, *type) : "all", quantity,
                     cells ? " voronoi" : "");
}

// Of gas that is a mesh.
void choose_cells(const PanelInput& input) {
  const render::MapLook& map = input.state.map;
  const auto& sizes = input.scene->info.smoothing_lengths;
  const auto size = sizes.find(render::kCellType);
  if (map.type != render::kCellType || size == sizes.end() ||
      size->second.kind == SmoothingLengthMeaning::Kind::Length)
    return;
  bool cells = map.cells;
  if (ImGui::Checkbox("Cells of the mesh", &cells)) input.emit(map_line(input, map.field, cells));
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "The nearest generator along each line of sight, in place of kernels.\n"
        "In a parallel view (O), once the camera rests.");
}

void choose_quantity(const PanelInput& input) {
  const render::MapLook& map = input.state.map;
  const std::string now = map.field.empty() ? kSurfaceDensity : "mean " + map.field;
  if (!ImGui::BeginCombo("Shows", now.c_str())) return;
  if (ImGui::Selectable(kSurfaceDensity, map.field.empty()))
    input.emit(map_line(input, {}, map.cells));
  if (!map.type) ImGui::TextDisabled("Means are those of one type.");
  if (map.type)
    for (const std::string& field : fields_of(input, *map.type)) {
      const std::string words = "mean " + field + unit_behind(*input.scene, *map.type, field);
      if (ImGui::Selectable(words.c_str(), field == map.field))
        input.emit(map_line(input, field, map.cells));
    }
  ImGui::EndCombo();
}

}  // namespace

void show_map_controls(const PanelInput& input) {
  choose_mass(input);
  choose_quantity(input);
  choose_cells(input);
  const render::MapLook& map = input.state.map;
  choose_color_map(input, session::kMapWord, map.color.color_map);
  if (!input.picture || !input.picture->map_color) return;
  const auto color = render::map_color(map, *input.picture->map_color);
  choose_scale(input, session::kMapWord, color);
  choose_limits(input, session::kMapWord, limits_of(map.color, color));
  ImGui::TextDisabled("%s", map.field.empty() ? "Mass along each line of sight, by area"
                                              : "Along each line of sight, weighted by mass");
  show_print_controls(input);
}

}  // namespace haloscope::app::viewer
