#include "app/windows/panels.h"

#include <imgui.h>

namespace haloscope::app::windows {

void show_log_panel(const PanelInput& input) {
  ImGui::BeginChild("lines", ImVec2(0, 120 * input.scale));
  for (const LogLine& line : input.log) {
    if (line.warning) ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1, 0.75f, 0.35f, 1));
    ImGui::TextWrapped("%s", line.text.c_str());
    if (line.warning) ImGui::PopStyleColor();
  }
  // Follows what comes unless the user has scrolled up to read.
  if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
  ImGui::EndChild();
}

}  // namespace haloscope::app::windows
