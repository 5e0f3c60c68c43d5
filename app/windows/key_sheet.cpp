#include "app/session/command_table.h"
#include "app/windows/panels.h"

#include <imgui.h>

namespace haloscope::app::windows {

void show_key_sheet(const PanelInput& input, float width, float height) {
  bool& open = input.memory.open["keys"];
  if (!open) return;
  ImGui::SetNextWindowPos(ImVec2(width / 2, height / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSize(
      ImVec2(std::min(620 * input.scale, width), std::min(640 * input.scale, 0.92f * height)));
  bool stays = true;
  if (ImGui::Begin("Keys and mouse", &stays,
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                       ImGuiWindowFlags_NoSavedSettings)) {
    static const auto rows = session::key_sheet();
    std::string group;
    if (ImGui::BeginTable(
            "keys", 3,
            ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY)) {
      ImGui::TableSetupColumn("Key");
      ImGui::TableSetupColumn("What", ImGuiTableColumnFlags_WidthStretch);
      ImGui::TableSetupColumn("Command");
      for (const auto& row : rows) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(row.key.c_str());
        ImGui::TableNextColumn();
        ImGui::TextWrapped("%s", row.help.c_str());
        ImGui::TableNextColumn();
        ImGui::TextDisabled("%s", row.command.c_str());
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
  if (!stays) input.emit("panel keys");
}

}  // namespace haloscope::app::windows
