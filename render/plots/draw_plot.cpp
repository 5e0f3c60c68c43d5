#include "render/plots/draw_plot.h"

#include "render/plots/axis_marks.h"
#include "render/plots/draw_axes.h"
#include "render/plots/draw_layers.h"
#include "render/plots/draw_legend.h"
#include "render/plots/draw_map.h"
#include "render/plots/place_legend.h"

#include <algorithm>
#include <vector>

namespace haloscope::render {

namespace {

// Between frame and numbers, numbers and title, in heights of a line.
constexpr double kGap = 0.3;
constexpr double kEdge = 0.35;

AxisMap map_of(const analysis::PlotAxis& axis, const AxisLimits& limits, double begin, double end) {
  return {axis.scale, axis.softening, limits, begin, end};
}

PlotFrame lay_out_axes(const analysis::Plot& plot, const PlotLimits& limits, const PlotArea& whole,
                       const PlotStyle& style, const Painter& painter) {
  PlotFrame frame;
  PlotArea& inside = frame.inside;
  inside = whole;
  if (!style.bare) {
    const double line = style.letters;
    inside.bottom -= line * (1 + kGap) + kEdge * line;
    if (!plot.x.title.empty()) inside.bottom -= line * (1 + kGap);
    inside.top += kEdge * line + line / 2;
    if (!plot.title.empty()) inside.top += line * (1 + kGap);
    // A title that is longer than its axis lies above the frame.
    const bool above =
        painter.text_width(plot.y.title, style.letters) > std::max(1., inside.height());
    if (above) inside.top += line * (1 + kGap) - line / 2;
    inside.bottom = std::max(inside.bottom, inside.top + 1);
    frame.y = map_of(plot.y, limits.y, inside.bottom, inside.top);
    double widest = 0;
    for (const AxisMark& mark : axis_marks(frame.y, most_rows(frame.y, style)))
      widest = std::max(widest, painter.text_width(mark.words, style.letters));
    inside.left += kEdge * line + widest + kGap * line;
    if (!above && !plot.y.title.empty()) inside.left += line * (1 + kGap);
    inside.right = std::max(inside.left + 1, inside.right - line - bar_width(plot, style, painter));
  }
  frame.x = map_of(plot.x, limits.x, inside.left, inside.right);
  frame.y = map_of(plot.y, limits.y, inside.bottom, inside.top);
  return frame;
}

}  // namespace

// All of the plot decides, not what is seen of it: the axes stay where they are under a zoom.
PlotFrame lay_out(const analysis::Plot& plot, const PlotLimits& limits, const PlotArea& whole,
                  const PlotStyle& style, const Painter& painter) {
  const std::vector<LegendList> lists = legend_lists(plot, style, painter);
  if (lists.empty()) return lay_out_axes(plot, limits, whole, style, painter);
  const PlotFrame usual = lay_out_axes(plot, fitting_limits(plot), whole, style, painter);
  for (const LegendList& list : lists) {
    const auto place = place_legend(plot, usual, list, style);
    if (!place) continue;
    PlotArea rest = whole;
    rest.right -= place->beside;
    rest.top += place->above;
    PlotFrame frame = lay_out_axes(plot, limits, rest, style, painter);
    const PlotArea& in = frame.inside;
    if (place->beside > 0)
      frame.legend = PlotArea{whole.right - place->beside, in.top, whole.right, in.bottom};
    if (place->above > 0) frame.legend = PlotArea{in.left, whole.top, in.right, rest.top};
    frame.legend_names = list.entries.size();
    return frame;
  }
  PlotFrame frame = lay_out_axes(plot, limits, whole, style, painter);
  frame.legend_names = lists.front().entries.size();
  return frame;
}

void draw_plot(const analysis::Plot& plot, const PlotFrame& frame, const PlotStyle& style,
               Painter& painter) {
  painter.push_clip(frame.inside);
  if (plot.map) draw_map(*plot.map, frame, style, painter);
  for (std::size_t k = 0; k < plot.layers.size(); ++k)
    draw_layer(plot.layers[k], layer_ink(plot, k, style), frame, style, painter);
  draw_marks(plot, frame, style, painter);
  painter.pop_clip();
  if (style.bare) return;
  draw_axes(plot, frame, style, painter);
  if (plot.map) draw_color_bar(*plot.map, frame, style, painter);
  draw_legend(plot, frame, style, painter);
}

}  // namespace haloscope::render
