#include "app/windows/color_strip.h"
#include "app/windows/panels.h"
#include "render/palette.h"

#include <fmt/format.h>

#include <imgui.h>

namespace haloscope::app::windows {

namespace {

using compute::splotch::Transform;

constexpr const char* kScales[] = {"linear", "log", "asinh"};

// A slider whose value is a factor, even steps of its logarithm.
void factor_slider(const PanelInput& input, const char* label, const char* command,
                   const std::string& type, double value) {
  float factor = float(value);
  if (ImGui::SliderFloat(label, &factor, 0.01f, 100, "%.2f", ImGuiSliderFlags_Logarithmic))
    input.emit(fmt::format("{} {} {:.4g}", command, type, factor));
}

void choose_map(const PanelInput& input, const std::string& type, const std::string& chosen) {
  if (!ImGui::BeginCombo("Color map", chosen.empty() ? "default" : chosen.c_str(),
                         ImGuiComboFlags_HeightLarge))
    return;
  static const std::vector<std::string> names = render::palette_names();
  for (const auto& name : names) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight(), width = 90 * input.scale;
    draw_color_strip(*ImGui::GetWindowDrawList(), at, ImVec2(at.x + width, at.y + height),
                     display_colors(name));
    ImGui::Dummy(ImVec2(width, height));
    ImGui::SameLine();
    if (ImGui::Selectable(name.c_str(), name == chosen))
      input.emit(fmt::format("color_map {} {}", type, name));
  }
  ImGui::EndCombo();
}

void show_limits(const PanelInput& input, const std::string& type, const session::TypeState& said,
                 const compute::splotch::Ranging& color) {
  const Transform scale = said.scale.value_or(color.transform);
  int chosen = int(scale);
  if (ImGui::Combo("Scale", &chosen, kScales, 3))
    input.emit(fmt::format("scale {} {}", type, kScales[chosen]));
  std::array<double, 2> limits = said.limits.value_or(session::Limits{
      in_field_units(color.transform, color.low), in_field_units(color.transform, color.high)});
  const bool typed = ImGui::InputScalarN("Limits", ImGuiDataType_Double, limits.data(), 2, nullptr,
                                         nullptr, "%.4g", ImGuiInputTextFlags_EnterReturnsTrue);
  if (typed && limits[0] < limits[1])
    input.emit(fmt::format("limits {} {} {}", type, limits[0], limits[1]));
  if (ImGui::Button("Auto limits")) input.emit("auto_limits " + type);
}

void show_type(const PanelInput& input, std::size_t k) {
  const jobs::SceneModel& scene = *input.scene;
  const std::string& name = scene.names[k];
  const session::TypeState said = input.state.type(scene.types[k]);
  ImGui::PushID(int(k));
  bool shown = said.shown;
  if (ImGui::Checkbox("##shown", &shown)) input.emit((shown ? "show " : "hide ") + name);
  ImGui::SameLine();
  const std::string& field = said.field.empty() ? scene.looks[k].color : said.field;
  const std::string title = field.empty() ? name : name + ": " + field;
  if (ImGui::TreeNodeEx("type", ImGuiTreeNodeFlags_SpanAvailWidth, "%s", title.c_str())) {
    factor_slider(input, "Brightness", "brightness", name, said.brightness);
    factor_slider(input, "Smoothing", "smoothing", name, said.smoothing);
    if (!field.empty()) {
      choose_map(input, name, said.color_map);
      show_limits(input, name, said, scene.appearances[k].color);
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
  float exposure = float(input.state.tone.exposure_ev);
  if (ImGui::SliderFloat("Exposure", &exposure, -8, 8, "%+.2f EV"))
    input.emit(fmt::format("exposure {:.4g}", exposure));
}

}  // namespace haloscope::app::windows
