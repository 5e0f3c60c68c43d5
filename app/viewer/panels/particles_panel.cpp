#include "app/session/toml_writer.h"
#include "app/viewer/overlays/color_strip.h"
#include "app/viewer/panels/color_controls.h"
#include "app/viewer/panels/map_controls.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/scene_words.h"
#include "app/viewer/panels/tone_controls.h"
#include "app/viewer/plots/limits_plot.h"
#include "io/loading/derived_fields.h"

#include <fmt/format.h>

#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

// A slider whose value is a factor, even steps of its logarithm.
void factor_slider(const PanelInput& input, const char* label, const char* command,
                   const std::string& type, double value) {
  float factor = float(value);
  if (ImGui::SliderFloat(label, &factor, 0.01f, 100, "\u00d7%.3g", ImGuiSliderFlags_Logarithmic))
    input.emit(fmt::format("{} {} {:.4g}", command, type, factor));
}

void choose_field(const PanelInput& input, int number, const std::string& type,
                  const std::string& chosen) {
  if (!input.facts) return;
  const auto fields = input.facts->fields.find(number);
  if (fields == input.facts->fields.end()) return;
  if (!ImGui::BeginCombo("Color by", chosen.empty() ? "one color" : chosen.c_str())) return;
  for (const auto& name : fields->second)
    if (ImGui::Selectable((name + unit_behind(*input.scene, number, name)).c_str(), name == chosen))
      input.emit(fmt::format("field {} {}", type, session::quoted(name)));
  if (const auto colors = input.facts->colors.find(number); colors != input.facts->colors.end())
    for (const auto& name : colors->second)
      if (ImGui::Selectable((name + " (age and metals)").c_str(), name == chosen))
        input.emit(fmt::format("field {} {}", type, session::quoted(name)));
  ImGui::EndCombo();
}

void show_limits(const PanelInput& input, std::size_t k, const std::string& type,
                 const session::TypeState& said) {
  const SceneModel& scene = *input.scene;
  const auto color = render::chosen_color(said, scene.appearances[k].color);
  choose_scale(input, type, color);
  const session::Limits limits = limits_of(said, color);
  if (k < scene.histograms.size())
    show_limits_plot(
        input, type, scene.histograms[k], color, limits,
        said.color_map.empty() ? scene.looks[k].palette : display_colors(said.color_map));
  choose_limits(input, type, limits);
}

// Whether the mouse is over what was drawn from `top` on.
bool is_under_mouse(float top) {
  const float y = ImGui::GetIO().MousePos.y;
  return ImGui::IsWindowHovered() && y >= top && y < ImGui::GetCursorScreenPos().y;
}

void show_type(const PanelInput& input, std::size_t k) {
  const SceneModel& scene = *input.scene;
  const float top = ImGui::GetCursorScreenPos().y;
  const std::string& name = scene.names[k];
  const std::string type = type_word(scene, scene.types[k]);
  const session::TypeState said = input.state.type(scene.types[k]);
  ImGui::PushID(int(k));
  bool shown = render::is_shown(said, scene.looks[k].shown);
  if (ImGui::Checkbox("##shown", &shown)) input.emit((shown ? "show " : "hide ") + type);
  ImGui::SameLine();
  const std::string& field = said.field.empty() ? scene.looks[k].color : said.field;
  const std::string title = field.empty() ? name : name + ": " + field;
  bool& open = input.memory.open_types[scene.types[k]];
  ImGui::SetNextItemOpen(open);
  const bool was_open = open;
  open = ImGui::TreeNodeEx("type", ImGuiTreeNodeFlags_SpanAvailWidth, "%s", title.c_str());
  if (open && !was_open) input.memory.opened_type = scene.types[k];
  if (open) {
    factor_slider(input, "Brightness", "brightness", type, said.brightness);
    factor_slider(input, "Smoothing", "smoothing", type, said.smoothing);
    choose_field(input, scene.types[k], type, field);
    if (!field.empty() && field != io::kStarColor) {
      choose_color_map(input, type, said.color_map);
      show_limits(input, k, type, said);
    }
    ImGui::TreePop();
  }
  if (is_under_mouse(top)) input.memory.hovered_type = scene.types[k];
  ImGui::PopID();
}

}  // namespace

void show_particles_panel(const PanelInput& input) {
  if (!input.scene) {
    ImGui::TextDisabled("Nothing is open.");
    return;
  }
  if (input.state.map.shown) return show_map_controls(input);
  for (std::size_t k = 0; k < input.scene->names.size(); ++k) show_type(input, k);
  show_tone_controls(input);
}

}  // namespace haloscope::app::viewer
