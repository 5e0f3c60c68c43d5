#include "app/viewer/plots/finding_plots.h"

#include "analysis/finder.h"
#include "app/session/toml_writer.h"
#include "app/viewer/frame/fixed_window.h"
#include "app/viewer/panels/cut_slider.h"
#include "app/viewer/panels/hints.h"
#include "app/viewer/plots/plot_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <imgui.h>
#include <string>

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

// Points. As many plots stand side by side as have this width.
constexpr float kPlotWidth = 420;
constexpr std::size_t kMostPlots = 3;

std::string title_of(const analysis::Plot& plot) {
  return analysis::capitalized(analysis::spaced(plot.name));
}

// The place of the chosen one among the plots.
std::size_t chosen_plot(const PanelInput& input) {
  const auto& plots = input.finding->plots;
  for (std::size_t k = 0; k < plots.size(); ++k)
    if (plots[k].name == input.state.layout.plot) return k;
  return 0;
}

}  // namespace

void show_plot_names(const PanelInput& input, float right) {
  if (!plots_hint(input).empty() || input.finding->plots.size() < 2) return;
  const auto& plots = input.finding->plots;
  const std::size_t chosen = chosen_plot(input);
  const ImGuiStyle& style = ImGui::GetStyle();
  const float left = ImGui::GetCursorPosX() + 2 * style.ItemSpacing.x;
  float width = 0;
  for (const analysis::Plot& plot : plots)
    width += ImGui::CalcTextSize(title_of(plot).c_str()).x + 2 * style.FramePadding.x +
             style.ItemSpacing.x;
  ImGui::SetCursorPosX(left);
  if (left + width <= right) {
    for (std::size_t k = 0; k < plots.size(); ++k) {
      if (tab_button(title_of(plots[k]).c_str(), k == chosen))
        input.emit("shelf plots " + plots[k].name);
      ImGui::SameLine();
    }
    return;
  }
  ImGui::SetNextItemWidth(std::max(1.f, right - left));
  if (ImGui::BeginCombo("##plots", title_of(plots[chosen]).c_str())) {
    for (std::size_t k = 0; k < plots.size(); ++k)
      if (ImGui::Selectable(title_of(plots[k]).c_str(), k == chosen))
        input.emit("shelf plots " + plots[k].name);
    ImGui::EndCombo();
  }
  ImGui::SameLine();
}

void show_finding_plots(const PanelInput& input) {
  if (const std::string hint = plots_hint(input); !hint.empty())
    return ImGui::TextWrapped("%s", hint.c_str());
  const std::string& finder = input.state.shown_finder;
  const auto& plots = input.finding->plots;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::PushID(finder.c_str());
  const std::size_t beside =
      std::clamp(std::size_t(std::max(0.f, room.x / (kPlotWidth * input.scale))), std::size_t(1),
                 std::min(kMostPlots, std::max(std::size_t(1), plots.size())));
  // The chosen one is the first of those that are seen, but for the last ones.
  const std::size_t begin =
      std::min(chosen_plot(input), plots.size() - std::min(plots.size(), beside));
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float width = std::floor((room.x - gap * float(beside - 1)) / float(beside));
  for (std::size_t k = begin; k < std::min(plots.size(), begin + beside); ++k) {
    if (k > begin) ImGui::SameLine(0, gap);
    ImGui::PushID(plots[k].name.c_str());
    if (ImGui::BeginChild("plot", ImVec2(width, room.y)))
      show(input, input.memory.finders[finder], plots[k], ImGui::GetContentRegionAvail());
    ImGui::EndChild();
    ImGui::PopID();
  }
  ImGui::PopID();
}

}  // namespace haloscope::app::viewer
