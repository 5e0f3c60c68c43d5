#include "app/session/command_table.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/pressed_keys.h"

#include <algorithm>
#include <cstring>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

constexpr std::size_t kMostCompletions = 12;

void put(std::array<char, 512>& field, const std::string& text) {
  const std::size_t size = std::min(text.size(), field.size() - 1);
  std::memcpy(field.data(), text.data(), size);
  field[size] = 0;
}

// Tab completes, as in a shell.
int complete_line(ImGuiInputTextCallbackData* data) {
  const auto& facts = *static_cast<const session::SceneFacts*>(data->UserData);
  const auto lines =
      session::complete(std::string(data->Buf, std::size_t(data->BufTextLen)), facts);
  if (lines.empty()) return 0;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, lines.front().text.c_str());
  return 0;
}

}  // namespace

void show_command_line(const PanelInput& input, const session::SceneFacts& facts, float width,
                       float height) {
  bool& open = input.memory.open["commands"];
  if (!open) return;
  const float free = free_width(input, width, height);
  ImGui::SetNextWindowPos(ImVec2(free / 2, 0.12f * height), ImGuiCond_Always, ImVec2(0.5f, 0));
  ImGui::SetNextWindowSize(ImVec2(std::min(640 * input.scale, free), 0));
  bool stays = true;
  if (ImGui::Begin("Command", &stays,
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                       ImGuiWindowFlags_NoSavedSettings)) {
    auto& typed = input.memory.typed_command;
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    auto known = facts;
    if (ImGui::InputText(
            "##command", typed.data(), typed.size(),
            ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackCompletion,
            complete_line, &known)) {
      input.emit(typed.data());
      typed[0] = 0;
      stays = false;
    }
    // Where another window has the focus, Escape is no business of the field.
    if (key_pressed(ImGuiKey_Escape)) stays = false;
    const auto lines = session::complete(typed.data(), facts);
    for (std::size_t k = 0; k < std::min(lines.size(), kMostCompletions); ++k) {
      if (ImGui::Selectable(lines[k].text.c_str())) put(typed, lines[k].text);
      ImGui::SameLine(240 * input.scale);
      ImGui::TextDisabled("%s", lines[k].help.c_str());
    }
  }
  ImGui::End();
  if (!stays) input.emit("panel commands");
}

}  // namespace haloscope::app::viewer
