#include "app/viewer/plots/mass_function.h"

#include "analysis/halos/mass_function_plot.h"
#include "app/session/toml_writer.h"
#include "app/viewer/plots/plot_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

constexpr float kHeight = 200, kLeastWidth = 120;  // points

// The bin under the cursor.
void tell(const analysis::MassFunction& function, double mass) {
  const double place = std::log10(mass);
  for (const analysis::MassBin& bin : function.bins) {
    if (place < bin.low || place >= bin.high) continue;
    const std::string words = fmt::format(
        "{:.3g} to {:.3g} {}: {} halo{}\n{:.3g}, {:.3g} to {:.3g} {}", std::pow(10, bin.low),
        std::pow(10, bin.high), function.mass_unit, bin.count, bin.count == 1 ? "" : "s", bin.value,
        bin.lower, bin.upper, function.value_unit);
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(words.c_str());
    ImGui::EndTooltip();
  }
}

}  // namespace

void show_mass_function(const PanelInput& input) {
  const analysis::MassFunction& function = input.halos->mass_function;
  if (function.bins.empty()) {
    ImGui::TextWrapped("The halos have no masses.");
    return;
  }
  // The words below say what the legend of a file does.
  render::PlotStyle style = screen_style(input.scale);
  style.legend = false;
  const float width = std::max(kLeastWidth * input.scale, ImGui::GetContentRegionAvail().x);
  const PlotEvents events =
      show_plot("plot", analysis::mass_function_plot(*input.halos),
                input.memory.plots["mass_function"], width, kHeight * input.scale, style);
  if (events.cursor) tell(function, events.cursor->x);
  std::string words = "Bars: Poisson, 1 sigma (Gehrels 1986, eqs. 9, 12).";
  if (function.least_mass > 0)
    words += fmt::format(" Dashed: {} members, {:.3g} {}, the fewest allowed.",
                         input.halos->options.min_members, function.least_mass, function.mass_unit);
  ImGui::TextWrapped("%s", words.c_str());
  auto& file = input.memory.plot_file;
  ImGui::InputText("Plot", file.data(), file.size());
  ImGui::SameLine();
  if (ImGui::Button("Write##plot"))
    input.emit(fmt::format("export_plot mass_function {}", session::quoted(file.data())));
}

}  // namespace haloscope::app::viewer
