#include "app/viewer/plots/finding_plots.h"

#include "analysis/finder.h"
#include "app/session/toml_writer.h"
#include "app/viewer/frame/fixed_window.h"
#include "app/viewer/panels/cut_slider.h"
#include "app/viewer/panels/hints.h"
#include "app/viewer/panels/overwrite_choice.h"
#include "app/viewer/panels/short_text.h"
#include "app/viewer/plots/plot_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <imgui.h>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

// Points. Below the least height its axes would leave no room for what is plotted.
constexpr float kLeastHeight = 124, kLeastWidth = 120;
// Axes with their legend that are lower want the room of the words below them.
constexpr float kLowAxes = 190;
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

// Of what was found, and then of what was measured.
std::vector<const analysis::Plot*> all_plots(const PanelInput& input) {
  std::vector<const analysis::Plot*> all;
  if (input.finding)
    for (const analysis::Plot& plot : input.finding->plots) all.push_back(&plot);
  for (const auto& made : {input.comparison.made, input.profile.made, input.phase.made})
    if (made)
      for (const analysis::Plot& plot : made->plots) all.push_back(&plot);
  return all;
}

FinderMemory& memory_of(const PanelInput& input, const analysis::Plot& plot) {
  return session::is_measured_plot(plot.name) ? input.memory.measured
                                              : input.memory.finders[input.state.shown_finder];
}

PlotView& view_of(const PanelInput& input, const analysis::Plot& plot) {
  return view_of(plot, input.scene ? input.scene->path : std::string(),
                 memory_of(input, plot).plots);
}

// With how many pieces the rectangle holds.
std::string caption_of(const PanelInput& input, const analysis::Plot& plot) {
  if (session::is_measured_plot(plot.name)) return plot.caption;
  const session::FindingState& state = input.state.finding(input.finding->finder);
  if (!plot.of_pairs || !state.births || !state.deaths) return plot.caption;
  const std::size_t inside = input.brushed ? input.brushed->size() : 0;
  return fmt::format("{} in the rectangle. {}", inside, plot.caption);
}

// How high the words below a plot of that width are, with what is between.
float height_of_words(const std::string& caption, float width) {
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const float field = ImGui::GetFrameHeight() + gap;
  if (caption.empty()) return field;
  return ImGui::CalcTextSize(caption.c_str(), nullptr, false, width).y + gap + field;
}

void show_caption(const std::string& caption) {
  if (!caption.empty()) ImGui::TextWrapped("%s", caption.c_str());
}

// The file that a plot is written to.
void show_file(const PanelInput& input, const analysis::Plot& plot) {
  auto& file = memory_of(input, plot).plot_files[plot.name];
  const std::string of = session::is_measured_plot(plot.name) ? "" : input.state.shown_finder + "_";
  if (file[0] == 0) (of + plot.name + ".svg").copy(file.data(), file.size() - 1);
  const float button = ImGui::CalcTextSize("Write").x + 2 * ImGui::GetStyle().FramePadding.x;
  const float label = ImGui::CalcTextSize("Plot").x + ImGui::GetStyle().ItemInnerSpacing.x;
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetNextItemWidth(std::max(
      1.f,
      std::min(kFileWidth * input.scale, ImGui::GetContentRegionAvail().x - button - label - gap)));
  ImGui::InputText("Plot", file.data(), file.size(), ImGuiInputTextFlags_AutoSelectAll);
  ImGui::SameLine();
  if (ImGui::Button("Write##plot"))
    input.emit(fmt::format("export_plot {} {}{}", plot.name, session::quoted(file.data()),
                           overwrite_word(input.memory)));
}

// Of a plot whose y is no field the rectangle's height means nothing.
void emit_brush(const PanelInput& input, const analysis::Plot& plot, const PlotEvents& events) {
  if (!events.brushed || !plot.particles) return;
  std::string line =
      fmt::format("brush {} {:.9g} {:.9g}", plot.name, events.brushed->x[0], events.brushed->x[1]);
  const auto& pieces = plot.particles->pieces;
  if (!plot.particles->y.empty() || (pieces && pieces->has_height))
    line += fmt::format(" {:.9g} {:.9g}", events.brushed->y[0], events.brushed->y[1]);
  input.emit(line);
}

// A curve of several types needs its legend; its words tell other things.
void show_measured_axes(const PanelInput& input, const analysis::Plot& plot, ImVec2 size) {
  PlotWishes wishes;
  wishes.brush = plot.particles.has_value();
  const PlotEvents events = show_plot("plot", plot, view_of(input, plot), size.x, size.y,
                                      screen_style(input.scale), wishes);
  if (events.cursor) tell(plot, events.cursor->x);
  emit_brush(input, plot, events);
}

void show_axes(const PanelInput& input, const analysis::Plot& plot, ImVec2 size) {
  if (session::is_measured_plot(plot.name)) return show_measured_axes(input, plot, size);
  FinderMemory& memory = memory_of(input, plot);
  // The words say what the legend of a file does.
  render::PlotStyle style = screen_style(input.scale);
  style.legend = plot.caption.empty();
  const analysis::Finding& finding = *input.finding;
  const session::SelectionState& selection = input.state.selection;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) memory.cut.clear();
  PlotWishes wishes;
  if (selection.kind == analysis::SelectionKind::Branch && selection.numbers.empty() &&
      selection.finder == finding.finder && selection.search == finding.options)
    wishes.chosen_branch = selection.piece;
  const session::FindingState& state = input.state.finding(finding.finder);
  wishes.chosen_piece = state.selected;
  wishes.brush = plot.of_pairs || plot.particles.has_value();
  if (plot.of_pairs && state.births && state.deaths) {
    wishes.chosen = render::PlotLimits{*state.births, *state.deaths};
    wishes.chosen_pieces = input.brushed;
  }
  const PlotEvents events =
      show_plot("plot", plot, view_of(input, plot), size.x, size.y, style, wishes);
  if (events.cursor) tell(plot, events.cursor->x);
  if (events.moved && finding.cut) emit_cut(input, events.moved->value);
  if (events.picked) input.emit(fmt::format("select {} {}", finding.finder, *events.picked));
  emit_brush(input, plot, events);
  if (events.brushed && plot.of_pairs)
    input.emit(fmt::format("select_pairs {} {:.9g} {:.9g} {:.9g} {:.9g}", finding.finder,
                           events.brushed->x[0], events.brushed->x[1], events.brushed->y[0],
                           events.brushed->y[1]));
  if (events.clicked && finding.branches)
    input.emit(fmt::format("select_branch {} {}", finding.finder, *events.clicked));
}

// The axes alone, or why there are none.
void show_drawn(const PanelInput& input, const analysis::Plot& plot, ImVec2 room) {
  if (plot.is_empty())
    return ImGui::TextWrapped("%s.", analysis::capitalized(plot.why_empty).c_str());
  show_axes(input, plot, room);
}

// Fills the room that it is given, with the words below it: in one line, the rest under the mouse,
// where they would leave little.
void show(const PanelInput& input, const analysis::Plot& plot, ImVec2 room) {
  const float least = kLeastHeight * input.scale, narrow = kLeastWidth * input.scale;
  const std::string caption = caption_of(input, plot);
  float above = room.y - height_of_words(caption, room.x);
  const bool in_one_line = !caption.empty() && above < kLowAxes * input.scale;
  if (in_one_line) above = room.y - height_of_words("one line", room.x);
  show_drawn(input, plot, ImVec2(std::max(narrow, room.x), std::max(least, above)));
  if (plot.is_empty()) return;
  if (in_one_line)
    show_short_text(caption);
  else
    show_caption(caption);
  show_file(input, plot);
}

// Points. As many plots stand side by side as have this width.
constexpr float kPlotWidth = 420, kLowPlotWidth = 300;
constexpr float kWidestWords = 300;
constexpr std::size_t kMostPlots = 3;

std::string title_of(const analysis::Plot& plot) {
  return analysis::capitalized(analysis::spaced(plot.name));
}

// The place of the chosen one among the plots.
std::size_t chosen_plot(const PanelInput& input, const std::vector<const analysis::Plot*>& plots) {
  for (std::size_t k = 0; k < plots.size(); ++k)
    if (plots[k]->name == input.state.layout.plot) return k;
  return 0;
}

}  // namespace

void show_plot_names(const PanelInput& input, float right) {
  const auto plots = all_plots(input);
  if (!plots_hint(input).empty() || plots.size() < 2) return;
  const std::size_t chosen = chosen_plot(input, plots);
  const ImGuiStyle& style = ImGui::GetStyle();
  const float left = ImGui::GetCursorPosX() + 2 * style.ItemSpacing.x;
  float width = 0;
  for (const analysis::Plot* plot : plots)
    width += ImGui::CalcTextSize(title_of(*plot).c_str()).x + 2 * style.FramePadding.x +
             style.ItemSpacing.x;
  ImGui::SetCursorPosX(left);
  if (left + width <= right) {
    for (std::size_t k = 0; k < plots.size(); ++k) {
      if (tab_button(title_of(*plots[k]).c_str(), k == chosen))
        input.emit("shelf plots " + plots[k]->name);
      ImGui::SameLine();
    }
    return;
  }
  ImGui::SetNextItemWidth(std::max(1.f, right - left));
  if (ImGui::BeginCombo("##plots", title_of(*plots[chosen]).c_str())) {
    for (std::size_t k = 0; k < plots.size(); ++k)
      if (ImGui::Selectable(title_of(*plots[k]).c_str(), k == chosen))
        input.emit("shelf plots " + plots[k]->name);
    ImGui::EndCombo();
  }
  ImGui::SameLine();
}

void show_finding_plots(const PanelInput& input) {
  if (const std::string hint = plots_hint(input); !hint.empty())
    return ImGui::TextWrapped("%s", hint.c_str());
  const auto plots = all_plots(input);
  if (plots.empty()) return;
  const std::size_t chosen = chosen_plot(input, plots);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const auto how_many = [&](float width, float each) {
    const auto fit = std::size_t(std::max(1.f, std::floor(width / (each * input.scale))));
    return std::min({fit, kMostPlots, std::max(std::size_t(1), plots.size())});
  };
  const auto width_of_each = [&](float width, std::size_t count) {
    return std::floor((width - gap * float(count - 1)) / float(count));
  };
  std::size_t beside = how_many(room.x, kPlotWidth);
  float width = width_of_each(room.x, beside), tallest = 0, words = 0;
  for (const analysis::Plot* plot : plots)
    tallest = std::max(tallest, height_of_words(caption_of(input, *plot), width));
  // In a low shelf the words of the chosen one stand beside the plots.
  const bool low = room.y - tallest < kLeastHeight * input.scale;
  if (low) {
    words = std::min(kWordsBeside * room.x, kWidestWords * input.scale);
    beside = how_many(room.x - words - gap, kLowPlotWidth);
    width = width_of_each(room.x - words - gap, beside);
  }
  // The chosen one is the first of those that are seen, but for the last ones.
  const std::size_t begin = std::min(chosen, plots.size() - std::min(plots.size(), beside));
  ImGui::PushID(input.state.shown_finder.c_str());
  for (std::size_t k = begin; k < std::min(plots.size(), begin + beside); ++k) {
    if (k > begin) ImGui::SameLine(0, gap);
    ImGui::PushID(plots[k]->name.c_str());
    if (ImGui::BeginChild("plot", ImVec2(std::max(1.f, width), room.y)))
      (low ? show_drawn : show)(input, *plots[k], ImGui::GetContentRegionAvail());
    ImGui::EndChild();
    ImGui::PopID();
  }
  if (low && !plots[chosen]->is_empty()) {
    ImGui::SameLine(0, gap);
    if (ImGui::BeginChild("words", ImVec2(std::max(1.f, words), room.y))) {
      show_file(input, *plots[chosen]);
      show_caption(caption_of(input, *plots[chosen]));
    }
    ImGui::EndChild();
  }
  ImGui::PopID();
}

}  // namespace haloscope::app::viewer
