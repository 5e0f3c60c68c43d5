#include "analysis/finder.h"
#include "analysis/particle_colors.h"
#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/panels/piece_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

namespace {

// The color that the piece's particles have.
void show_swatch(const PanelInput& input, std::uint64_t piece) {
  const auto& color = analysis::display_color(piece);
  const float side = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 low(at.x, at.y + 0.2f * side), high(at.x + 0.6f * side, at.y + 0.8f * side);
  ImGui::GetWindowDrawList()->AddRectFilled(
      low, high, ImGui::ColorConvertFloat4ToU32(ImVec4(color[0], color[1], color[2], 1)));
  ImGui::Dummy(ImVec2(0.6f * side, side));
  ImGui::SameLine(0, 4 * input.scale);
}

void show_value(const analysis::PieceColumn& column, std::uint64_t piece) {
  ImGui::TableNextColumn();
  const double value = column.values[std::size_t(piece)];
  if (std::isnan(value))
    ImGui::TextDisabled("none");
  else if (column.whole)
    ImGui::Text("%.0f", value);
  else
    ImGui::Text("%.4g", value);
}

void show_row(const PanelInput& input, std::uint64_t piece) {
  const analysis::Finding& finding = *input.finding;
  const session::FindingState& state = input.state.finding(finding.finder);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const std::string label = std::to_string(piece);
  if (state.color_particles && analysis::has_colors(finding, {}) && state.color_field.empty())
    show_swatch(input, piece);
  if (ImGui::Selectable(
          label.c_str(), state.selected == piece,
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    input.emit(fmt::format("select {} {}", finding.finder, label));
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
      input.emit(fmt::format("fly_to {} {}", finding.finder, label));
  }
  for (const analysis::PieceColumn& column : finding.columns) show_value(column, piece);
}

void show_table(const PanelInput& input, std::uint64_t at_least) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable;
  const analysis::Finding& finding = *input.finding;
  const auto& words = analysis::require_finder(finding.finder).words();
  const int columns = 1 + int(finding.columns.size());
  if (!ImGui::BeginTable(words.name.c_str(), columns, kFlags, ImVec2(0, -1))) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn(analysis::capitalized(words.piece).c_str(),
                          ImGuiTableColumnFlags_DefaultSort);
  for (const analysis::PieceColumn& column : finding.columns)
    ImGui::TableSetupColumn(column.title.c_str(), ImGuiTableColumnFlags_PreferSortDescending);
  ImGui::TableHeadersRow();
  PieceOrder& order = input.memory.piece_order;
  std::optional<std::size_t> column;
  bool descending = false;
  if (const ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs(); sort && sort->SpecsCount > 0) {
    if (sort->Specs[0].ColumnIndex > 0) column = std::size_t(sort->Specs[0].ColumnIndex) - 1;
    descending = sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  }
  order.make(finding, column, descending, at_least);
  ImGuiListClipper clipper;
  clipper.Begin(int(order.pieces().size()));
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
      show_row(input, order.pieces()[std::size_t(k)]);
  ImGui::EndTable();
}

// "Mass in 1e10 Msun/h, R200 in Mpc/h", and what titles do not say.
void show_units(const analysis::Finding& finding) {
  std::string units, help;
  for (const analysis::PieceColumn& column : finding.columns) {
    if (!column.unit.empty())
      units += fmt::format("{}{} in {}", units.empty() ? "" : ", ", column.title, column.unit);
    if (!column.help.empty()) help += column.help + " ";
  }
  ImGui::TextDisabled("%s", units.c_str());
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%sDouble-click a row to fly there.", help.c_str());
}

}  // namespace

void show_piece_table(const PanelInput& input) {
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  if (!input.finding || input.finding->pieces == 0) {
    const std::string why =
        input.finding ? (input.finding->fields.empty() && words.has_pieces()
                             ? fmt::format("No {} was found.", words.piece)
                             : input.finding->summary)
                      : fmt::format("Find {} first: the inspector's page Find.", words.found());
    ImGui::TextDisabled("%s", why.c_str());
    return;
  }
  int& at_least = input.memory.finders[words.name].at_least;
  ImGui::AlignTextToFramePadding();
  ImGui::Text("%llu %s", static_cast<unsigned long long>(input.finding->pieces),
              words.pieces.c_str());
  ImGui::SameLine();
  if (input.finding->members_column) {
    ImGui::SetNextItemWidth(90 * input.scale);
    ImGui::PushID(words.name.c_str());
    whole_number_fields(input, "members or more", &at_least, 1, {0});
    ImGui::PopID();
    ImGui::SameLine();
  }
  show_units(*input.finding);
  show_table(input, std::uint64_t(std::max(0, at_least)));
}

}  // namespace haloscope::app::viewer
