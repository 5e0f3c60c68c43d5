#include "app/viewer/panels/color_controls.h"

#include "app/session/toml_writer.h"
#include "app/viewer/overlays/color_strip.h"
#include "app/viewer/panels/number_field.h"
#include "render/colors/palette.h"
#include "render/scene/type_choice.h"

#include <fmt/format.h>

#include <imgui.h>
#include <vector>

namespace haloscope::app::viewer {

namespace {

constexpr const char* kScales[] = {"linear", "log", "asinh"};

}  // namespace

void choose_color_map(const PanelInput& input, const std::string& target,
                      const std::string& chosen) {
  if (!ImGui::BeginCombo("Color map", chosen.empty() ? "default" : chosen.c_str(),
                         ImGuiComboFlags_HeightLarge))
    return;
  if (ImGui::Selectable("default", chosen.empty())) input.emit("color_map " + target + " auto");
  static const std::vector<std::string> names = render::palette_names();
  for (const auto& name : names) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight(), width = 90 * input.scale;
    draw_color_strip(*ImGui::GetWindowDrawList(), at, ImVec2(at.x + width, at.y + height),
                     display_colors(name));
    ImGui::Dummy(ImVec2(width, height));
    ImGui::SameLine();
    if (ImGui::Selectable(name.c_str(), name == chosen))
      input.emit(fmt::format("color_map {} {}", target, session::quoted(name)));
  }
  ImGui::EndCombo();
}

void choose_scale(const PanelInput& input, const std::string& target,
                  const compute::splotch::Ranging& color) {
  int chosen = int(color.transform);
  if (ImGui::Combo("Scale", &chosen, kScales, 3))
    input.emit(fmt::format("scale {} {}", target, kScales[chosen]));
}

session::Limits limits_of(const session::ColorChoice& said,
                          const compute::splotch::Ranging& color) {
  if (said.limits) return *said.limits;
  const auto rounded = [&](float limit) {
    return std::stod(fmt::format("{:.6g}", render::in_field_units(color.transform, double(limit))));
  };
  return {rounded(color.low), rounded(color.high)};
}

void choose_limits(const PanelInput& input, const std::string& target, session::Limits limits) {
  // A press on the color bar has asked for them. Bars that come back in the same frame take the
  // keys away: it is asked until the fields have them.
  PanelMemory& memory = input.memory;
  const bool wanted = memory.wanted_limits == target;
  if (wanted) ImGui::SetKeyboardFocusHere();
  const bool taken = number_fields(input, "Limits", limits.data(), 2, "%.4g");
  if (wanted && (ImGui::IsItemActive() || --memory.limits_patience <= 0))
    memory.wanted_limits.clear();
  if (taken) input.emit(fmt::format("limits {} {} {}", target, limits[0], limits[1]));
  if (ImGui::Button("Auto limits")) input.emit("auto_limits " + target);
}

}  // namespace haloscope::app::viewer
