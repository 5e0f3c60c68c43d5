#include "app/viewer/plots/finding_plots.h"

#include "analysis/finder.h"
#include "app/session/toml_writer.h"
#include "app/viewer/panels/cut_slider.h"
#include "app/viewer/plots/plot_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

// Points. Below the least height its axes would leave no room for what is plotted.
constexpr float kLeastHeight = 124, kLeastWidth = 120;
// Of the width, for the words beside a plot that is low.
constexpr float kWordsBeside = 0.3f;
constexpr float kFileWidth = 320;

// The bin under the cursor.
void tell(const analysis::Plot& plot, double x) {
  for (const auto& layer : plot.layers)
    for (const auto& point : layer.points) {
      if (point.words.empty() || !(x >= point.x_low && x < point.x_high)) continue;
      ImGui::BeginTooltip();
      ImGui::TextUnformatted(point.words.c_str());
      ImGui::EndTooltip();
    }
}

// How high the words below a plot of that width are, with what is between.
float height_of_words(const analysis::Plot& plot, float width) {
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const float field = ImGui::GetFrameHeight() + gap;
  if (plot.caption.empty()) return field;
  return ImGui::CalcTextSize(plot.caption.c_str(), nullptr, false, width).y + gap + field;
}

// What the plot says, and the file that it is written to.
void show_words(const PanelInput& input, FinderMemory& memory, const analysis::Plot& plot) {
  if (!plot.caption.empty()) ImGui::TextWrapped("%s", plot.caption.c_str());
  auto& file = memory.plot_files[plot.name];
  if (file[0] == 0)
    fmt::format("{}_{}.svg", input.state.shown_finder, plot.name)
        .copy(file.data(), file.size() - 1);
  const float button = ImGui::CalcTextSize("Write").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float label = ImGui::CalcTextSize("Plot").x + ImGui::GetStyle().ItemInnerSpacing.x;
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetNextItemWidth(std::max(
      1.f,
      std::min(kFileWidth * input.scale, ImGui::GetContentRegionAvail().x - button - label - gap)));
  ImGui::InputText("Plot", file.data(), file.size());
  ImGui::SameLine();
  if (ImGui::Button("Write##plot"))
    input.emit(fmt::format("export_plot {} {}", plot.name, session::quoted(file.data())));
}

void show_axes(const PanelInput& input, FinderMemory& memory, const analysis::Plot& plot,
               ImVec2 size) {
  // The words say what the legend of a file does.
  render::PlotStyle style = screen_style(input.scale);
  style.legend = plot.caption.empty();
  const analysis::Finding& finding = *input.finding;
  const session::SelectionState& selection = input.state.selection;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) memory.cut.clear();
  PlotWishes wishes;
  if (selection.kind == analysis::SelectionKind::Branch && selection.finder == finding.finder &&
      selection.search == finding.options)
    wishes.chosen_branch = selection.piece;
  const PlotEvents events =
      show_plot("plot", plot, memory.plots[plot.name], size.x, size.y, style, wishes);
  if (events.cursor) tell(plot, events.cursor->x);
  if (events.moved && finding.cut) emit_cut(input, events.moved->value);
  if (events.clicked && finding.branches)
    input.emit(fmt::format("select_branch {} {}", finding.finder, *events.clicked));
}

// Fills the room that it is given, the words below it, or beside it where it would be too low.
void show(const PanelInput& input, FinderMemory& memory, const analysis::Plot& plot, ImVec2 room) {
  if (plot.layers.empty()) {
    ImGui::TextWrapped("%s.", analysis::capitalized(plot.why_empty).c_str());
    return;
  }
  const float least = kLeastHeight * input.scale, narrow = kLeastWidth * input.scale;
  const float above = room.y - height_of_words(plot, room.x);
  const float words = kWordsBeside * room.x;
  if (above >= least || room.x - words < 2 * narrow) {
    show_axes(input, memory, plot, ImVec2(std::max(narrow, room.x), std::max(least, above)));
    show_words(input, memory, plot);
    return;
  }
  show_axes(input, memory, plot, ImVec2(room.x - words, std::max(least, room.y)));
  ImGui::SameLine();
  ImGui::BeginGroup();
  show_words(input, memory, plot);
  ImGui::EndGroup();
}

}  // namespace

void show_finding_plots(const PanelInput& input) {
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  if (!input.finding ||
      (input.finding->pieces == 0 && input.finding->fields.empty() && !input.finding->cut)) {
    const std::string why = input.finding
                                ? (words.has_pieces() ? fmt::format("No {} was found.", words.piece)
                                                      : input.finding->summary)
                                : fmt::format("Find {} first: {} plots are drawn here.",
                                              words.found(), words.has_pieces() ? "their" : "its");
    ImGui::TextDisabled("%s", why.c_str());
    return;
  }
  // Of the part that is seen: where there are several plots the others are below.
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::PushID(words.name.c_str());
  for (const analysis::Plot& plot : input.finding->plots) {
    ImGui::PushID(plot.name.c_str());
    show(input, input.memory.finders[words.name], plot, room);
    ImGui::PopID();
  }
  ImGui::PopID();
}

}  // namespace haloscope::app::viewer
