#include "app/viewer/frame/fixed_window.h"

#include <algorithm>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;
constexpr ImGuiWindowFlags kTight =
    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

}  // namespace

FixedWindow::FixedWindow(const char* name, const Area& area, float scale, Filled filled) {
  ImGui::SetNextWindowPos(ImVec2(area.x, area.y));
  ImGui::SetNextWindowSize(ImVec2(area.width, area.height));
  // Dear ImGui's own least size is more than a bar has.
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImVec2 padding = ImGui::GetStyle().WindowPadding;
  if (filled == Filled::Line)
    padding.y = std::max(0.f, (area.height - ImGui::GetFrameHeight()) / 2);
  if (filled == Filled::Column) padding = ImVec2(4 * scale, 4 * scale);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::Begin(name, nullptr, filled == Filled::Page ? kFixed : kFixed | kTight);
  ImGui::PopStyleVar(2);
}

FixedWindow::~FixedWindow() {
  ImGui::End();
}

bool tab_button(const char* label, bool open) {
  if (open) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetColorU32(ImGuiCol_ButtonHovered));
  const bool pressed = ImGui::Button(label);
  if (open) ImGui::PopStyleColor();
  return pressed;
}

}  // namespace haloscope::app::viewer
