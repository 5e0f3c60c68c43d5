#include "app/viewer/plots/finding_plots.h"

#include "analysis/finder.h"
#include "app/session/toml_writer.h"
#include "app/viewer/plots/plot_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

constexpr float kHeight = 200, kLeastWidth = 120;  // points

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

void show(const PanelInput& input, FinderMemory& memory, const analysis::Plot& plot) {
  if (plot.layers.empty()) {
    ImGui::TextWrapped("%s.", analysis::capitalized(plot.why_empty).c_str());
    return;
  }
  // The words below say what the legend of a file does.
  render::PlotStyle style = screen_style(input.scale);
  style.legend = plot.caption.empty();
  const float width = std::max(kLeastWidth * input.scale, ImGui::GetContentRegionAvail().x);
  const PlotEvents events =
      show_plot("plot", plot, memory.plots[plot.name], width, kHeight * input.scale, style);
  if (events.cursor) tell(plot, events.cursor->x);
  if (!plot.caption.empty()) ImGui::TextWrapped("%s", plot.caption.c_str());
  auto& file = memory.plot_files[plot.name];
  if (file[0] == 0)
    fmt::format("{}_{}.svg", input.state.shown_finder, plot.name)
        .copy(file.data(), file.size() - 1);
  ImGui::InputText("Plot", file.data(), file.size());
  ImGui::SameLine();
  if (ImGui::Button("Write##plot"))
    input.emit(fmt::format("export_plot {} {}", plot.name, session::quoted(file.data())));
}

}  // namespace

void show_finding_plots(const PanelInput& input) {
  const auto& words = analysis::require_finder(input.state.shown_finder).words();
  if (!input.finding || (input.finding->pieces == 0 && input.finding->fields.empty())) {
    const std::string why = input.finding
                                ? (words.has_pieces() ? fmt::format("No {} was found.", words.piece)
                                                      : input.finding->summary)
                                : fmt::format("Find {} first: {} plots are drawn here.",
                                              words.found(), words.has_pieces() ? "their" : "its");
    ImGui::TextDisabled("%s", why.c_str());
    return;
  }
  ImGui::PushID(words.name.c_str());
  for (const analysis::Plot& plot : input.finding->plots) {
    ImGui::PushID(plot.name.c_str());
    show(input, input.memory.finders[words.name], plot);
    ImGui::PopID();
  }
  ImGui::PopID();
}

}  // namespace haloscope::app::viewer
