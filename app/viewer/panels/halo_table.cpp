#include "analysis/halos/halo_colors.h"
#include "app/viewer/panels/halo_order.h"
#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/panels.h"

#include <algorithm>
#include <imgui.h>
#include <string>

namespace haloscope::app::viewer {

namespace {

// The color that the halo's particles have.
void show_swatch(const PanelInput& input, std::uint64_t halo) {
  const auto& color = analysis::display_color(halo);
  const float side = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 low(at.x, at.y + 0.2f * side), high(at.x + 0.6f * side, at.y + 0.8f * side);
  ImGui::GetWindowDrawList()->AddRectFilled(
      low, high, ImGui::ColorConvertFloat4ToU32(ImVec4(color[0], color[1], color[2], 1)));
  ImGui::Dummy(ImVec2(0.6f * side, side));
  ImGui::SameLine(0, 4 * input.scale);
}

void show_row(const PanelInput& input, const analysis::HaloRow& row) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool selected = input.state.halos.selected == row.number;
  const std::string label = std::to_string(row.number);
  if (input.state.halos.color_particles && input.halos->colors) show_swatch(input, row.number);
  if (ImGui::Selectable(
          label.c_str(), selected,
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    input.emit("select_halo " + label);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) input.emit("fly_to_halo " + label);
  }
  ImGui::TableNextColumn();
  ImGui::Text("%llu", static_cast<unsigned long long>(row.members));
  ImGui::TableNextColumn();
  ImGui::Text("%.4g", row.mass);
  ImGui::TableNextColumn();
  if (row.r200)
    ImGui::Text("%.4g", *row.r200);
  else
    ImGui::TextDisabled("none");
}

void show_table(const PanelInput& input, std::uint64_t at_least) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable;
  if (!ImGui::BeginTable("halos", 4, kFlags, ImVec2(0, -1))) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Halo", ImGuiTableColumnFlags_DefaultSort);
  for (const char* name : {"Members", "Mass", "R200"})
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_PreferSortDescending);
  ImGui::TableHeadersRow();
  HaloOrder& order = input.memory.halo_order;
  HaloColumn column = HaloColumn::Number;
  bool descending = false;
  if (const ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs(); sort && sort->SpecsCount > 0) {
    column = HaloColumn(sort->Specs[0].ColumnIndex);
    descending = sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  }
  order.make(input.halos->rows, column, descending, at_least);
  ImGuiListClipper clipper;
  clipper.Begin(int(order.rows().size()));
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
      show_row(input, input.halos->rows[order.rows()[std::size_t(k)]]);
  ImGui::EndTable();
}

}  // namespace

void show_halo_table(const PanelInput& input) {
  if (!input.halos || input.halos->rows.empty()) {
    ImGui::TextDisabled(
        "%s", input.halos ? "No halo was found." : "Find halos first: the inspector's page Find.");
    return;
  }
  int& at_least = input.memory.at_least;
  ImGui::AlignTextToFramePadding();
  ImGui::Text("%zu halos", input.halos->rows.size());
  ImGui::SameLine();
  ImGui::SetNextItemWidth(90 * input.scale);
  whole_number_fields(input, "members or more", &at_least, 1, {0});
  ImGui::SameLine();
  ImGui::TextDisabled("Mass in %s, R200 in %s", input.halos->mass_unit.c_str(),
                      input.halos->length_unit.c_str());
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "R200 is that of 200 times the critical density; none: too loose, of five members or\n"
        "fewer, or no cosmology in the file. Double-click a row to fly there.");
  show_table(input, std::uint64_t(std::max(0, at_least)));
}

}  // namespace haloscope::app::viewer
