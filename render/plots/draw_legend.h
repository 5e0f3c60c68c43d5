#pragma once

#include "render/plots/draw_plot.h"

namespace haloscope::render {

// Names of layers and marked lines that have one, where lay_out() has left room for them, else in
// the corner with the fewest points.
void draw_legend(const analysis::Plot& plot, const PlotFrame& frame, const PlotStyle& style,
                 Painter& painter);

}  // namespace haloscope::render
