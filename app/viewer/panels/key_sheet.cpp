#include "app/session/command_table.h"
#include "app/viewer/panels/panels.h"

#include <algorithm>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

void heading(const std::string& group) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(group.c_str());
}

}  // namespace

void show_key_sheet(const PanelInput& input, float width, float height) {
  bool& open = input.memory.open["keys"];
  if (!open) return;
  const float free = free_width(input, width, height);
  ImGui::SetNextWindowPos(ImVec2(free / 2, height / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSize(
      ImVec2(std::min(700 * input.scale, free), std::min(640 * input.scale, 0.92f * height)));
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
        if (row.group != group) heading(group = row.group);
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

}  // namespace haloscope::app::viewer
