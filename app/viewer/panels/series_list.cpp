#include "app/viewer/panels/series_list.h"

#include "app/viewer/panels/short_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

constexpr float kPlaceWidth = 48, kWhenWidth = 110;  // points

// Headers are read on a thread of their own: until they are, the rows can be chosen all the same.
std::string when_of(const PanelInput& input, std::size_t k) {
  if (!input.moments || k >= input.moments->size()) return "\u2026";
  const auto& moment = (*input.moments)[k];
  return moment ? moment->words : "not told";
}

void show_output(const PanelInput& input, std::size_t k) {
  const std::string& path = input.state.snapshots[k];
  const bool shown = k == input.state.current;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(int(k));
  if (ImGui::Selectable(fmt::format("{}", k + 1).c_str(), shown,
                        ImGuiSelectableFlags_SpanAllColumns) &&
      !shown)
    input.emit(fmt::format("show_snapshot {}", k));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s\nshow_snapshot %zu", path.c_str(), k);
  ImGui::PopID();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(when_of(input, k).c_str());
  ImGui::TableNextColumn();
  show_short_text(std::filesystem::path(path).filename().string());
}

// Where another one is shown than in the frame before, or the list has just come.
void bring_into_view(const PanelInput& input, float row) {
  auto& listed = input.memory.listed_snapshot;
  if (listed == input.state.current && !ImGui::IsWindowAppearing()) return;
  listed = input.state.current;
  const float above = ImGui::GetWindowHeight() / 2 - row;
  ImGui::SetScrollY(std::max(0.f, row * float(input.state.current) - above));
}

}  // namespace

void show_series_list(const PanelInput& input) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg;
  if (!ImGui::BeginTable("outputs", 3, kFlags, ImGui::GetContentRegionAvail())) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("#", ImGuiTableColumnFlags_WidthFixed, kPlaceWidth * input.scale);
  ImGui::TableSetupColumn("When", ImGuiTableColumnFlags_WidthFixed, kWhenWidth * input.scale);
  ImGui::TableSetupColumn("File", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  bring_into_view(input, row);
  ImGuiListClipper clipper;
  clipper.Begin(int(input.state.snapshots.size()));
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
      show_output(input, std::size_t(k));
  ImGui::EndTable();
}

}  // namespace haloscope::app::viewer
