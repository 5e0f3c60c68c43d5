#include "analysis/halos/halo_colors.h"
#include "analysis/options/option_error.h"
#include "analysis/options/option_names.h"
#include "app/session/toml_writer.h"
#include "app/viewer/panels/halo_draft.h"
#include "app/viewer/panels/halo_order.h"
#include "app/viewer/panels/job_bar.h"
#include "app/viewer/panels/number_field.h"
#include "app/viewer/panels/option_widgets.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/plots/mass_function.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <imgui.h>
#include <iterator>

namespace haloscope::app::viewer {

namespace {

// Always shown, in this order; the others are folded.
constexpr const char* kUsual[] = {"linking_length", "min_members", "min_points"};

void show_option(const PanelInput& input, const std::string& name, const std::string& length_unit) {
  HaloDraft& draft = input.memory.halos;
  OptionWidgets widgets(input, draft, name, length_unit);
  analysis::visit(widgets, draft.options);
}

// Why no search can be asked for that; empty: it can.
std::string why_not(const HaloDraft& draft) {
  try {
    analysis::check_options(draft.meant());
    return {};
  } catch (const analysis::OptionError& error) {
    return analysis::with_words(error.what());
  }
}

void show_start(const PanelInput& input) {
  HaloDraft& draft = input.memory.halos;
  const std::string fault = why_not(draft);
  ImGui::BeginDisabled(!fault.empty());
  if (ImGui::Button("Find halos")) input.emit(search_line(draft));
  ImGui::EndDisabled();
  if (!fault.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip("%s", fault.c_str());
  ImGui::SameLine();
  if (ImGui::Button(draft.unfolded ? "Fewer options" : "More options"))
    draft.unfolded = !draft.unfolded;
}

void show_search(const PanelInput& input) {
  HaloDraft& draft = input.memory.halos;
  draft.follow(input.state.halos, input.scene->info, input.halos ? input.halos->linking_length : 0);
  const std::string unit = io::length_unit(input.scene->info.units);
  for (const char* name : kUsual) show_option(input, name, unit);
  if (draft.unfolded)
    for (const std::string& name : analysis::names_of<analysis::HaloOptions>())
      if (std::find(std::begin(kUsual), std::end(kUsual), name) == std::end(kUsual))
        show_option(input, name, unit);
  if (input.jobs.finding.busy) {
    show_job_bar(input, input.jobs.finding, "halos");
  } else {
    show_start(input);
  }
  bool by_halo = input.state.halos.color_particles;
  if (ImGui::Checkbox("Color particles by halo", &by_halo))
    input.emit(by_halo ? "color_by_halo on" : "color_by_halo off");
}

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
  // Shorter beside the mass function, so that both are seen in a window 800 points high.
  const float height = input.memory.open["mass_function"] ? 130.f : 240.f;
  if (!ImGui::BeginTable("halos", 4, kFlags, ImVec2(0, height * input.scale))) return;
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
  whole_number_fields(input, "members or more", &at_least, 1, {0});
  ImGui::TextDisabled("Mass in %s, R200 in %s", input.halos->mass_unit.c_str(),
                      input.halos->length_unit.c_str());
  show_table(input, std::uint64_t(std::max(0, at_least)));
  ImGui::InputText("Catalog", input.memory.catalog_file.data(), input.memory.catalog_file.size());
  ImGui::SameLine();
  if (ImGui::Button("Write"))
    input.emit(fmt::format("export_halos {}", session::quoted(input.memory.catalog_file.data())));
  ImGui::TextWrapped(
      "R200 is that of 200 times the critical density; none: too loose, of five members or "
      "fewer, or no cosmology in the file. Double-click a row to fly there.");
  const bool open = input.memory.open["mass_function"];
  ImGui::SetNextItemOpen(open);
  constexpr ImGuiTreeNodeFlags kFlags =
      ImGuiTreeNodeFlags_SpanAvailWidth | ImGuiTreeNodeFlags_NoTreePushOnOpen;
  if (ImGui::TreeNodeEx("Mass function", kFlags) != open) input.emit("panel mass_function");
  if (open) show_mass_function(input);
}

}  // namespace haloscope::app::viewer
