#include "app/session/toml_writer.h"
#include "app/windows/halo_order.h"
#include "app/windows/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <imgui.h>

namespace haloscope::app::windows {

namespace {

void show_search(const PanelInput& input) {
  PanelMemory& memory = input.memory;
  ImGui::InputDouble("Linking length", &memory.spacings, 0.01, 0.1, "%.3g");
  ImGui::InputInt("Members", &memory.min_members);
  ImGui::InputInt("minPts", &memory.min_points);
  memory.min_members = std::max(1, memory.min_members);
  memory.min_points = std::max(1, memory.min_points);
  if (input.task.busy) {
    const std::string label = fmt::format("{} {}", input.task.name, input.task.phase);
    ImGui::ProgressBar(float(input.task.fraction), ImVec2(-70 * input.scale, 0), label.c_str());
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) input.emit("cancel");
  } else if (ImGui::Button("Find halos")) {
    input.emit(
        fmt::format("find_halos {} {} {}", memory.spacings, memory.min_members, memory.min_points));
  }
}

void show_row(const PanelInput& input, const jobs::HaloRow& row) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool selected = input.state.halos.selected == row.number;
  const std::string label = std::to_string(row.number);
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
  ImGui::Text("%.4g", row.radius);
}

void show_table(const PanelInput& input, std::uint64_t at_least) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable;
  if (!ImGui::BeginTable("halos", 4, kFlags, ImVec2(0, 240 * input.scale))) return;
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

void show_halos_panel(const PanelInput& input) {
  if (!input.scene) {
    ImGui::TextDisabled("Nothing is open.");
    return;
  }
  show_search(input);
  if (!input.halos) return;
  ImGui::Separator();
  if (input.halos->rows.empty()) {
    ImGui::TextWrapped("No halo has so many members: lower the minimum or lengthen the linking.");
    return;
  }
  int& at_least = input.memory.at_least;
  ImGui::AlignTextToFramePadding();
  ImGui::Text("%zu halos", input.halos->rows.size());
  ImGui::SameLine();
  ImGui::SetNextItemWidth(90 * input.scale);
  ImGui::InputInt("members or more", &at_least, 0);
  show_table(input, std::uint64_t(std::max(0, at_least)));
  ImGui::InputText("Catalog", input.memory.catalog_file.data(), input.memory.catalog_file.size());
  ImGui::SameLine();
  if (ImGui::Button("Write"))
    input.emit(fmt::format("export_halos {}", session::quoted(input.memory.catalog_file.data())));
  ImGui::TextWrapped("Mass in %s, R200 in %s. Double-click a row to fly there.",
                     input.halos->mass_unit.c_str(), input.halos->length_unit.c_str());
}

}  // namespace haloscope::app::windows
