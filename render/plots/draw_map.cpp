#include "render/plots/draw_map.h"

#include "render/plots/axis_marks.h"
#include "render/plots/draw_axes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace haloscope::render {

namespace {

// In heights of a line.
constexpr double kBarGap = 0.6, kBarWidth = 0.8, kBarMark = 0.25, kWordsGap = 0.4;
constexpr int kBarSteps = 96;

AxisMap color_axis(const analysis::PlotMap& map, double begin, double end) {
  return {map.colors.scale, map.colors.softening, color_limits(map), begin, end};
}

bool same_ink(PlotInk a, PlotInk b) {
  return a.red == b.red && a.green == b.green && a.blue == b.blue && a.alpha == b.alpha;
}

// `part`: 0 is the lowest value, 1 the highest one.
PlotInk color_at(double part, const PlotStyle& style) {
  const std::vector<PlotInk>& ramp = style.ramp;
  if (ramp.empty()) return style.ink;
  const double place = std::clamp(part, 0.0, 1.0) * double(ramp.size() - 1);
  const std::size_t k = std::min(std::size_t(place), ramp.size() - 1);
  const PlotInk &low = ramp[k], &high = ramp[std::min(k + 1, ramp.size() - 1)];
  const auto between = [&](std::uint8_t a, std::uint8_t b) {
    return std::uint8_t(std::lround(a + (b - a) * (place - double(k))));
  };
  return {between(low.red, high.red), between(low.green, high.green), between(low.blue, high.blue),
          between(low.alpha, high.alpha)};
}

void fill_box(double left, double top, double right, double bottom, PlotInk ink, Painter& painter) {
  painter.fill(
      std::array<PlotPlace, 4>{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}}, ink);
}

std::vector<AxisMark> marks_of_bar(const analysis::PlotMap& map, double height,
                                   const PlotStyle& style) {
  const AxisMap axis = color_axis(map, height, 0);
  return axis_marks(axis, most_rows(axis, style));
}

// An end that a logarithm has no place for lies beyond the axes.
double within(double place, double low, double high, double otherwise) {
  return std::isfinite(place) ? std::clamp(place, low, high) : otherwise;
}

}  // namespace

AxisLimits color_limits(const analysis::PlotMap& map) {
  if (map.colors.low < map.colors.high) return {map.colors.low, map.colors.high};
  const AxisMap scale{map.colors.scale, map.colors.softening, {0, 1}, 0, 1};
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double value : map.values) {
    if (!std::isfinite(scale.scaled(value))) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low <= high)) return {1, 10};
  if (low < high) return {low, high};
  // Of a single value the bar shows its surroundings.
  return map.colors.scale == analysis::AxisScale::Log
             ? AxisLimits{low / 3, high * 3}
             : AxisLimits{low - std::max(1., std::abs(low)) / 2,
                          high + std::max(1., std::abs(high)) / 2};
}

double bar_width(const analysis::Plot& plot, const PlotStyle& style, const Painter& painter) {
  if (!plot.map || style.bare) return 0;
  const double letters = style.letters;
  double widest = 0;
  // As if the bar were high: it cannot know yet, and more marks are no wider ones.
  for (const AxisMark& mark : marks_of_bar(*plot.map, 24 * letters, style))
    widest = std::max(widest, painter.text_width(mark.words, letters));
  const double title = plot.map->colors.title.empty() ? 0 : (1 + kWordsGap) * letters;
  return (kBarGap + kBarWidth + kWordsGap) * letters + widest + title;
}

void draw_map(const analysis::PlotMap& map, const PlotFrame& frame, const PlotStyle& style,
              Painter& painter) {
  const PlotArea& in = frame.inside;
  const AxisMap colors = color_axis(map, 0, 1);
  const std::size_t columns = map.x_edges.size() - 1, rows = map.y_edges.size() - 1;
  for (std::size_t i = 0; i < columns; ++i) {
    const double left = within(frame.x.at(map.x_edges[i]), in.left, in.right, in.left);
    const double right = within(frame.x.at(map.x_edges[i + 1]), in.left, in.right, in.left);
    if (!(left < right)) continue;
    // Bins of one color that touch are one shape: files stay small.
    for (std::size_t j = 0; j < rows;) {
      const double part = colors.at(map.values[i * rows + j]);
      std::size_t end = j + 1;
      if (std::isfinite(part)) {
        const PlotInk ink = color_at(part, style);
        const auto has_same = [&](std::size_t row) {
          const double other = colors.at(map.values[i * rows + row]);
          return std::isfinite(other) && same_ink(color_at(other, style), ink);
        };
        while (end < rows && has_same(end)) ++end;
        const double bottom = within(frame.y.at(map.y_edges[j]), in.top, in.bottom, in.bottom);
        const double top = within(frame.y.at(map.y_edges[end]), in.top, in.bottom, in.bottom);
        if (top < bottom) fill_box(left, top, right, bottom, ink, painter);
      }
      j = end;
    }
  }
}

void draw_color_bar(const analysis::PlotMap& map, const PlotFrame& frame, const PlotStyle& style,
                    Painter& painter) {
  const PlotArea& in = frame.inside;
  const double letters = style.letters;
  const double left = in.right + kBarGap * letters, right = left + kBarWidth * letters;
  for (int k = 0; k < kBarSteps; ++k) {
    const double bottom = in.bottom - in.height() * k / kBarSteps;
    fill_box(left, bottom - in.height() / kBarSteps, right, bottom,
             color_at((k + 0.5) / kBarSteps, style), painter);
  }
  const Stroke stroke{style.ink, style.line, 0};
  painter.line(
      std::array<PlotPlace, 5>{
          {{left, in.top}, {right, in.top}, {right, in.bottom}, {left, in.bottom}, {left, in.top}}},
      stroke);
  const AxisMap axis = color_axis(map, in.bottom, in.top);
  double widest = 0;
  for (const AxisMark& mark : marks_of_bar(map, in.height(), style)) {
    const double y = axis.at(mark.value);
    const double length = (mark.words.empty() ? kBarMark / 2 : kBarMark) * letters;
    painter.line(std::array<PlotPlace, 2>{{{right - length, y}, {right, y}}}, stroke);
    if (mark.words.empty()) continue;
    painter.text({right + kWordsGap / 2 * letters, y}, mark.words,
                 {letters, style.ink, 0, 0.5, false});
    widest = std::max(widest, painter.text_width(mark.words, letters));
  }
  if (!map.colors.title.empty())
    painter.text({right + kWordsGap * letters + widest, (in.top + in.bottom) / 2}, map.colors.title,
                 {letters, style.ink, 0.5, 0, true});
}

}  // namespace haloscope::render
