#include "app/session/toml_writer.h"
#include "app/windows/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <imgui.h>

namespace haloscope::app::windows {

namespace {

// The keys as marks on a line of time.
void show_timeline(const PanelInput& input) {
  const auto& path = input.state.path;
  const double begin = path.front().seconds, end = std::max(path.back().seconds, begin + 1e-9);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - 16 * input.scale;
  const float height = 22 * input.scale;
  ImGui::Dummy(ImVec2(width, height));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = at.y + height / 2, left = at.x + 8 * input.scale;
  list.AddLine(ImVec2(left, middle), ImVec2(left + width - 8 * input.scale, middle),
               ImGui::GetColorU32(ImGuiCol_TextDisabled), input.scale);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const float x =
        left + (width - 8 * input.scale) * float((path[k].seconds - begin) / (end - begin));
    ImGui::SetCursorScreenPos(ImVec2(x - 6 * input.scale, at.y));
    ImGui::PushID(int(k));
    if (ImGui::InvisibleButton("key", ImVec2(12 * input.scale, height)))
      input.emit(fmt::format("go_to_key {}", k + 1));
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("key %zu at %g s: click to see it", k + 1, path[k].seconds);
    const bool hot = ImGui::IsItemHovered();
    list.AddCircleFilled(ImVec2(x, middle), (hot ? 6 : 4.5f) * input.scale,
                         ImGui::GetColorU32(hot ? ImGuiCol_ButtonActive : ImGuiCol_SliderGrab));
    ImGui::PopID();
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + 4 * input.scale));
}

void show_keys(const PanelInput& input) {
  const auto& path = input.state.path;
  if (!ImGui::BeginTable("keys", 4, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) return;
  for (const char* name : {"Key", "Seconds", "EV", ""}) ImGui::TableSetupColumn(name);
  ImGui::TableHeadersRow();
  for (std::size_t k = 0; k < path.size(); ++k) {
    ImGui::PushID(int(k));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::Text("%zu", k + 1);
    ImGui::TableNextColumn();
    double seconds = path[k].seconds;
    ImGui::SetNextItemWidth(90 * input.scale);
    if (ImGui::InputDouble("##seconds", &seconds, 0, 0, "%.3f",
                           ImGuiInputTextFlags_EnterReturnsTrue))
      input.emit(fmt::format("move_key {} {}", k + 1, seconds));
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::Text("%+.2f", path[k].exposure_ev);
    ImGui::TableNextColumn();
    if (ImGui::Button("Go")) input.emit(fmt::format("go_to_key {}", k + 1));
    ImGui::SameLine();
    if (ImGui::Button("Remove")) input.emit(fmt::format("delete_key {}", k + 1));
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace

void show_path_panel(const PanelInput& input) {
  if (ImGui::Button("Add key")) input.emit("add_key");
  if (input.state.path.empty()) {
    ImGui::SameLine();
    ImGui::TextDisabled("Move the camera, add a key, and so on.");
    return;
  }
  ImGui::SameLine();
  if (ImGui::Button("Preview")) input.emit("preview_path");
  ImGui::SameLine();
  if (ImGui::Button("Clear")) input.emit("clear_path");
  show_timeline(input);
  show_keys(input);
  PanelMemory& memory = input.memory;
  ImGui::InputText("File", memory.path_file.data(), memory.path_file.size());
  if (ImGui::Button("Save"))
    input.emit(fmt::format("save_path {}", session::quoted(memory.path_file.data())));
  ImGui::SameLine();
  if (ImGui::Button("Load"))
    input.emit(fmt::format("load_path {}", session::quoted(memory.path_file.data())));
}

}  // namespace haloscope::app::windows
