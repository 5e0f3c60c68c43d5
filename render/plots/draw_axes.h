#pragma once

#include "render/plots/draw_plot.h"

namespace haloscope::render {

// How many marks with words an upright axis has room for.
int most_rows(const AxisMap& axis, const PlotStyle& style);

// Frame, marks with their words, titles.
void draw_axes(const analysis::Plot& plot, const PlotFrame& frame, const PlotStyle& style,
               Painter& painter);

}  // namespace haloscope::render
