#pragma once

#include "render/plots/painter.h"
#include "render/plots/plot_limits.h"
#include "render/plots/plot_style.h"

#include <cstddef>
#include <optional>

namespace haloscope::render {

// Where a plot's axes lie.
struct PlotFrame {
  AxisMap x, y;
  PlotArea inside;  // of the axes
  // Room for the legend beside or above the axes; none: it lies in a corner of them.
  std::optional<PlotArea> legend = {};
  std::size_t legend_names = 0;  // of its list, from the first one on
  PlotPlace at(double vx, double vy) const { return {x.at(vx), y.at(vy)}; }
};

// The axes within `whole`, with room for their numbers and titles, and for the legend where it
// would cover what is drawn.
PlotFrame lay_out(const analysis::Plot& plot, const PlotLimits& limits, const PlotArea& whole,
                  const PlotStyle& style, const Painter& painter);

// All of a plot but its ground, which is the painter's: layers, marked lines, axes with marks on
// their inner sides, titles and legend.
void draw_plot(const analysis::Plot& plot, const PlotFrame& frame, const PlotStyle& style,
               Painter& painter);

}  // namespace haloscope::render
