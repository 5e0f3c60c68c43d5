#include "analysis/options/option_error.h"
#include "analysis/options/option_names.h"
#include "app/session/toml_writer.h"
#include "app/viewer/panels/halo_draft.h"
#include "app/viewer/panels/job_bar.h"
#include "app/viewer/panels/option_widgets.h"
#include "app/viewer/panels/overwrite_choice.h"
#include "app/viewer/panels/panels.h"
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

// What was found, and where it is seen.
void show_found(const PanelInput& input) {
  const std::size_t count = input.halos->rows.size();
  if (count == 0) {
    ImGui::TextWrapped("No halo has so many members: lower the minimum or lengthen the linking.");
    return;
  }
  ImGui::AlignTextToFramePadding();
  ImGui::Text("%zu halos", count);
  ImGui::SameLine();
  if (ImGui::Button("Table")) input.emit("shelf table");
  ImGui::SameLine();
  if (ImGui::Button("Mass function")) input.emit("shelf plots");
  ImGui::InputText("Catalog", input.memory.catalog_file.data(), input.memory.catalog_file.size());
  if (ImGui::Button("Write catalog"))
    input.emit(fmt::format("export_halos {}{}", session::quoted(input.memory.catalog_file.data()),
                           overwrite_word(input.memory)));
  show_overwrite(input);
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
  show_found(input);
}

}  // namespace haloscope::app::viewer
