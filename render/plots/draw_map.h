#pragma once

#include "render/plots/draw_plot.h"

namespace haloscope::render {

// Room that the bar of a map's colors takes at the right of the axes; 0 where there is no map.
double bar_width(const analysis::Plot& plot, const PlotStyle& style, const Painter& painter);

// The colored bins, within the axes.
void draw_map(const analysis::PlotMap& map, const PlotFrame& frame, const PlotStyle& style,
              Painter& painter);

// The bar that tells which value has which color, at the right of the axes.
void draw_color_bar(const analysis::PlotMap& map, const PlotFrame& frame, const PlotStyle& style,
                    Painter& painter);

// The limits of a map's colors: those of its axis where it tells them, else of its values that the
// scale has a place for.
AxisLimits color_limits(const analysis::PlotMap& map);

}  // namespace haloscope::render
