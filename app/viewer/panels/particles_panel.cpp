#include "app/session/toml_writer.h"
#include "app/viewer/overlays/color_strip.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/scene_words.h"
#include "app/viewer/panels/tone_controls.h"
#include "app/viewer/plots/limits_plot.h"
#include "render/colors/palette.h"

#include <fmt/format.h>

#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

constexpr const char* kScales[] = {"linear", "log", "asinh"};

// A slider whose value is a factor, even steps of its logarithm.
void factor_slider(const PanelInput& input, const char* label, const char* command,
                   const std::string& type, double value) {
  float factor = float(value);
  if (ImGui::SliderFloat(label, &factor, 0.01f, 100, "%.2f", ImGuiSliderFlags_Logarithmic))
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
  ImGui::EndCombo();
}

void choose_map(const PanelInput& input, const std::string& type, const std::string& chosen) {
  if (!ImGui::BeginCombo("Color map", chosen.empty() ? "default" : chosen.c_str(),
                         ImGuiComboFlags_HeightLarge))
    return;
  if (ImGui::Selectable("default", chosen.empty())) input.emit("color_map " + type + " auto");
  static const std::vector<std::string> names = render::palette_names();
  for (const auto& name : names) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight(), width = 90 * input.scale;
    draw_color_strip(*ImGui::GetWindowDrawList(), at, ImVec2(at.x + width, at.y + height),
                     display_colors(name));
    ImGui::Dummy(ImVec2(width, height));
    ImGui::SameLine();
    if (ImGui::Selectable(name.c_str(), name == chosen))
      input.emit(fmt::format("color_map {} {}", type, session::quoted(name)));
  }
  ImGui::EndCombo();
}

// As they are drawn. What the program chose is told no closer than it is worth.
session::Limits limits_of(const session::TypeState& said, const compute::splotch::Ranging& color) {
  if (said.limits) return *said.limits;
  const auto rounded = [&](float limit) {
    return std::stod(fmt::format("{:.6g}", render::in_field_units(color.transform, double(limit))));
  };
  return {rounded(color.low), rounded(color.high)};
}

void show_limits(const PanelInput& input, std::size_t k, const std::string& type,
                 const session::TypeState& said) {
  const SceneModel& scene = *input.scene;
  const auto color = render::chosen_color(said, scene.appearances[k].color);
  int chosen = int(color.transform);
  if (ImGui::Combo("Scale", &chosen, kScales, 3))
    input.emit(fmt::format("scale {} {}", type, kScales[chosen]));
  session::Limits limits = limits_of(said, color);
  if (k < scene.histograms.size())
    show_limits_plot(
        input, type, scene.histograms[k], color, limits,
        said.color_map.empty() ? scene.looks[k].palette : display_colors(said.color_map));
  const bool typed = ImGui::InputScalarN("Limits", ImGuiDataType_Double, limits.data(), 2, nullptr,
                                         nullptr, "%.4g", ImGuiInputTextFlags_EnterReturnsTrue);
  if (typed && limits[0] < limits[1])
    input.emit(fmt::format("limits {} {} {}", type, limits[0], limits[1]));
  if (ImGui::Button("Auto limits")) input.emit("auto_limits " + type);
}

void show_type(const PanelInput& input, std::size_t k) {
  const SceneModel& scene = *input.scene;
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
  open = ImGui::TreeNodeEx("type", ImGuiTreeNodeFlags_SpanAvailWidth, "%s", title.c_str());
  if (open) {
    factor_slider(input, "Brightness", "brightness", type, said.brightness);
    factor_slider(input, "Smoothing", "smoothing", type, said.smoothing);
    choose_field(input, scene.types[k], type, field);
    if (!field.empty()) {
      choose_map(input, type, said.color_map);
      show_limits(input, k, type, said);
    }
    ImGui::TreePop();
  }
  ImGui::PopID();
}

}  // namespace

void show_particles_panel(const PanelInput& input) {
  if (!input.scene) {
    ImGui::TextDisabled("Nothing is open.");
    return;
  }
  for (std::size_t k = 0; k < input.scene->names.size(); ++k) show_type(input, k);
  show_tone_controls(input);
}

}  // namespace haloscope::app::viewer
