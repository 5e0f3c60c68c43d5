#include "app/viewer/panels/hints.h"
#include "app/viewer/panels/panels.h"

#include <algorithm>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

const ImVec4 kWarning(1, 0.75f, 0.35f, 1);

}  // namespace

void show_log_panel(const PanelInput& input) {
  if (const std::string hint = log_hint(input); !hint.empty())
    return ImGui::TextWrapped("%s", hint.c_str());
  ImGui::BeginChild("lines", ImVec2(0, 0));
  for (const LogLine& line : input.log) {
    if (line.warning) ImGui::PushStyleColor(ImGuiCol_Text, kWarning);
    ImGui::TextWrapped("%s", line.text.c_str());
    if (line.warning) ImGui::PopStyleColor();
  }
  // Follows what comes unless the user has scrolled up to read.
  if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
  ImGui::EndChild();
}

void show_notice(const PanelInput& input, float width, float bottom) {
  if (input.notice.empty()) return;
  const float widest = 0.9f * width, line = ImGui::CalcTextSize(input.notice.c_str()).x;
  const float margin = 2 * ImGui::GetStyle().WindowPadding.x;
  ImGui::SetNextWindowPos(ImVec2(width / 2, bottom - 60 * input.scale), ImGuiCond_Always,
                          ImVec2(0.5f, 1));
  ImGui::SetNextWindowSize(ImVec2(std::max(1.f, std::min(widest, line + margin + 1)), 0));
  // Under the mouse it must not keep the picture from being dragged.
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing;
  if (ImGui::Begin("notice", nullptr, kFlags)) {
    if (input.notice_is_fault) ImGui::PushStyleColor(ImGuiCol_Text, kWarning);
    ImGui::TextWrapped("%s", input.notice.c_str());
    if (input.notice_is_fault) ImGui::PopStyleColor();
    const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
        ImGui::IsMouseHoveringRect(low, ImVec2(low.x + size.x, low.y + size.y), false))
      input.memory.notice_pressed = true;
  }
  ImGui::End();
}

}  // namespace haloscope::app::viewer
