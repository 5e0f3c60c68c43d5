#include "app/session/toml_writer.h"
#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/overwrite_choice.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/timeline.h"

#include <fmt/format.h>

#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

// Two digits, and 1e4 for 1e+04: a column is narrow.
std::string in_short(double value) {
  std::string text = fmt::format("{:.2g}", value);
  if (const auto plus = text.find("e+0"); plus != std::string::npos) text.erase(plus + 1, 2);
  return text;
}

// Widths of the columns, points: seven of them in a narrow panel.
constexpr float kSecondsWidth = 56, kNumbersWidth = 70;

void show_carried(const session::KeyState& key, bool series) {
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  ImGui::Text("%+.2f", key.exposure_ev);
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  if (key.limits) {
    const auto& [low, high] = *key.limits;
    ImGui::Text("%s\u2026%s", in_short(low).c_str(), in_short(high).c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%.6g to %.6g", low, high);
  } else {
    ImGui::TextDisabled("free");
  }
  if (!series) return;
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  ImGui::Text("%.4g", key.snapshot);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("Place in the series, from 0");
}

void head_keys(float scale, bool series) {
  ImGui::TableSetupColumn("");
  ImGui::TableSetupColumn("Seconds", ImGuiTableColumnFlags_WidthFixed, kSecondsWidth * scale);
  ImGui::TableSetupColumn("EV");
  ImGui::TableSetupColumn("Limits", ImGuiTableColumnFlags_WidthFixed, kNumbersWidth * scale);
  if (series) ImGui::TableSetupColumn("#");
  ImGui::TableSetupColumn("");
  ImGui::TableHeadersRow();
}

void show_keys(const PanelInput& input) {
  const auto& path = input.state.path;
  const bool series = input.state.snapshots.size() > 1;
  if (!ImGui::BeginTable("keys", series ? 6 : 5,
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit))
    return;
  head_keys(input.scale, series);
  for (std::size_t k = 0; k < path.size(); ++k) {
    ImGui::PushID(int(k));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::Text("%zu", k + 1);
    ImGui::TableNextColumn();
    double seconds = path[k].seconds;
    ImGui::SetNextItemWidth(-1);
    if (number_field(input, "##Seconds", seconds, "%.3f"))
      input.emit(fmt::format("move_key {} {}", k + 1, seconds));
    show_carried(path[k], series);
    ImGui::TableNextColumn();
    if (ImGui::Button("Go")) input.emit(fmt::format("go_to_key {}", k + 1));
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
    if (ImGui::Button("\u00d7")) input.emit(fmt::format("delete_key {}", k + 1));
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("Remove the key");
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace

void show_path_panel(const PanelInput& input) {
  if (ImGui::Button("Add key")) input.emit("add_key");
  if (input.state.path.empty()) {
    ImGui::TextWrapped("Move the camera, add a key, and so on.");
    return;
  }
  ImGui::SameLine();
  if (ImGui::Button("Preview")) input.emit("preview_path");
  ImGui::SameLine();
  if (ImGui::Button("Clear")) input.emit("clear_path");
  const session::Layout& layout = input.state.layout;
  if (!layout.shows_shelf() || layout.tab != session::ShelfTab::Time) show_timeline(input);
  bool drawn = input.state.overlays.path;
  if (ImGui::Checkbox("Draw the path in the picture", &drawn))
    input.emit(drawn ? "overlay path on" : "overlay path off");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "A line through the places of the camera; a click on a key shows what it shows");
  show_keys(input);
  PanelMemory& memory = input.memory;
  ImGui::InputText("File", memory.path_file.data(), memory.path_file.size(),
                   ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::Button("Save"))
    input.emit(fmt::format("save_path {}{}", session::quoted(memory.path_file.data()),
                           overwrite_word(memory)));
  ImGui::SameLine();
  if (ImGui::Button("Load"))
    input.emit(fmt::format("load_path {}", session::quoted(memory.path_file.data())));
  show_overwrite(input);
}

}  // namespace haloscope::app::viewer
