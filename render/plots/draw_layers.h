#pragma once

#include "render/plots/draw_plot.h"

#include <cstddef>

namespace haloscope::render {

PlotInk layer_ink(const analysis::Plot& plot, std::size_t layer, const PlotStyle& style);

// Within the axes; the painter cuts off what is beyond.
void draw_layer(const analysis::PlotLayer& layer, PlotInk ink, const PlotFrame& frame,
                const PlotStyle& style, Painter& painter);
// Marked lines differ by their dashes.
double mark_dash(std::size_t mark, const PlotStyle& style);
void draw_marks(const analysis::Plot& plot, const PlotFrame& frame, const PlotStyle& style,
                Painter& painter);

// Of a style whose lines have the width 1.
inline constexpr double kDot = 2.5, kDash = 4, kMarkWidth = 1.5;

}  // namespace haloscope::render
