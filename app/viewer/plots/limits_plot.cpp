#include "app/viewer/plots/limits_plot.h"

#include "app/viewer/overlays/color_strip.h"
#include "app/viewer/panels/scene_words.h"
#include "app/viewer/plots/plot_view.h"
#include "app/viewer/plots/screen_painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

using compute::splotch::Ranging;

constexpr float kHeight = 64, kStrip = 6;  // points
// Two limits that are closer than this, pixels, are at one place.
constexpr float kSamePlace = 1;

// Logarithmic, so that few are seen beside many; what the limits leave out is faint.
analysis::Plot bars_of(const analysis::Histogram& histogram, const Ranging& color) {
  analysis::Plot plot;
  plot.layers.resize(2);
  for (analysis::PlotLayer& layer : plot.layers) layer.kind = analysis::LayerKind::Bars;
  plot.layers[1].faint = true;
  const double step = (histogram.high - histogram.low) / double(histogram.counts.size());
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    if (histogram.counts[bin] == 0) continue;
    analysis::PlotPoint bar;
    bar.x_low = histogram.low + double(bin) * step;
    bar.x_high = bar.x_low + step;
    bar.x = bar.x_low + step / 2;
    bar.y = std::log1p(double(histogram.counts[bin]));
    const bool shown = bar.x >= double(color.low) && bar.x <= double(color.high);
    plot.layers[shown ? 0 : 1].points.push_back(bar);
  }
  return plot;
}

// From the lower left corner of the area upwards.
void draw_bars(ScreenPainter& painter, const PlotLine& line, const analysis::Histogram& histogram,
               const Ranging& color, float top, float bottom) {
  render::PlotStyle style = screen_style(1);
  style.bare = true;
  style.series = {ink_of(ImGuiCol_PlotHistogram)};
  style.faint = ink_of(ImGuiCol_TextDisabled, 0.55f);
  const double most =
      std::log1p(double(*std::max_element(histogram.counts.begin(), histogram.counts.end())));
  const analysis::Plot plot = bars_of(histogram, color);
  const render::PlotArea area{double(line.left), double(top), double(line.left + line.width),
                              double(bottom)};
  const render::PlotLimits limits{{line.low, line.high}, {0, most}};
  draw_plot(plot, lay_out(plot, limits, area, style, painter), style, painter);
}

// What the values look like: beyond the limits, as at them.
void draw_colors(ImDrawList& list, float from, float low, float high, float to, float top,
                 float bottom, const std::vector<std::array<float, 3>>& palette) {
  if (palette.empty()) return;
  const auto end = [](const std::array<float, 3>& c) {
    return ImGui::ColorConvertFloat4ToU32(ImVec4(c[0], c[1], c[2], 1));
  };
  list.AddRectFilled(ImVec2(from, top), ImVec2(low, bottom), end(palette.front()));
  list.AddRectFilled(ImVec2(high, top), ImVec2(to, bottom), end(palette.back()));
  if (high > low) draw_color_strip(list, ImVec2(low, top), ImVec2(high, bottom), palette);
}

void draw_handle(ScreenPainter& painter, float x, float top, float bottom, float scale, bool hot) {
  const render::PlotInk ink = ink_of(hot ? ImGuiCol_SliderGrabActive : ImGuiCol_Text);
  const double at = double(x), upper = double(top), unit = double(scale);
  painter.line(std::array<render::PlotPlace, 2>{{{at, upper}, {at, double(bottom)}}},
               {ink, std::max(1., 1.5 * unit), 0});
  painter.fill(
      std::array<render::PlotPlace, 3>{
          {{at - 4 * unit, upper}, {at + 4 * unit, upper}, {at, upper + 6 * unit}}},
      ink);
}

void tell(const analysis::FieldHistograms& values, const analysis::Histogram& histogram,
          const Ranging& color, const PlotLine& line) {
  const double at = line.value_at(ImGui::GetIO().MousePos.x);
  const double place = (at - histogram.low) / (histogram.high - histogram.low);
  const auto bin = std::min(std::size_t(std::max(0., place) * double(histogram.counts.size())),
                            histogram.counts.size() - 1);
  ImGui::SetTooltip(
      "%s: %s in this bin\n%s of %s particles counted, on a logarithmic scale\n"
      "drag a limit",
      readable(render::in_field_units(color.transform, at)).c_str(),
      grouped(histogram.counts[bin]).c_str(), grouped(values.counted).c_str(),
      grouped(values.values).c_str());
}

}  // namespace

float PlotLine::x_of(double value) const {
  return left + width * float(std::clamp((value - low) / (high - low), 0., 1.));
}

double PlotLine::value_at(float x) const {
  return low + (high - low) * std::clamp(double((x - left) / width), 0., 1.);
}

int limit_at(const PlotLine& line, const Ranging& color, float x) {
  const float low = line.x_of(double(color.low)), high = line.x_of(double(color.high));
  if (std::abs(high - low) < kSamePlace)
    return x < low ? 0 : x > high ? 1 : low > line.left ? 0 : 1;
  return std::abs(x - low) <= std::abs(x - high) ? 0 : 1;
}

std::string dragged_limits(const PlotLine& line, compute::splotch::Transform scale,
                           const session::Limits& now, int which, float x) {
  const double value = render::in_field_units(scale, line.value_at(x));
  const double step = std::abs(value - render::in_field_units(scale, line.value_at(x + 1))) +
                      std::abs(value - render::in_field_units(scale, line.value_at(x - 1)));
  const std::string dragged = with_step(value, std::max(step / 2, 1e-300), 17);
  const double number = std::stod(dragged);
  if (which == 0) return number < now[1] ? fmt::format("{} {}", dragged, now[1]) : std::string();
  return number > now[0] ? fmt::format("{} {}", now[0], dragged) : std::string();
}

void show_limits_plot(const PanelInput& input, const std::string& type,
                      const analysis::FieldHistograms& values, const Ranging& color,
                      const session::Limits& now,
                      const std::vector<std::array<float, 3>>& palette) {
  const analysis::Histogram& histogram = values.on(color.transform);
  if (histogram.counts.empty()) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float scale = input.scale, width = std::max(20 * scale, ImGui::CalcItemWidth());
  const float height = kHeight * scale, strip = kStrip * scale, edge = 5 * scale;
  const PlotLine line{histogram.low, histogram.high, at.x + edge, width - 2 * edge};
  const float bottom = at.y + height, top = at.y;
  ImGui::InvisibleButton("values", ImVec2(width, height + strip));
  const float x = ImGui::GetIO().MousePos.x;
  int& which = input.memory.dragged_limit;
  if (ImGui::IsItemActivated()) which = limit_at(line, color, x);
  const bool dragging = ImGui::IsItemActive();
  if (dragging && ImGui::GetIO().MouseDelta.x != 0 && !ImGui::IsItemActivated())
    if (const auto limits = dragged_limits(line, color.transform, now, which, x); !limits.empty())
      input.emit(fmt::format("limits {} {}", type, limits));
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && !dragging) tell(values, histogram, color, line);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, ImVec2(at.x + width, bottom), ImGui::GetColorU32(ImGuiCol_FrameBg),
                     ImGui::GetStyle().FrameRounding);
  ScreenPainter painter(list);
  draw_bars(painter, line, histogram, color, top + 7 * scale, bottom);
  const float low = line.x_of(double(color.low)), high = line.x_of(double(color.high));
  draw_colors(list, at.x, low, high, at.x + width, bottom, bottom + strip, palette);
  const int hot = dragging ? which : hovered ? limit_at(line, color, x) : -1;
  draw_handle(painter, low, top, bottom + strip, scale, hot == 0);
  draw_handle(painter, high, top, bottom + strip, scale, hot == 1);
}

}  // namespace haloscope::app::viewer
