#pragma once

#include "render/plots/axis_map.h"

namespace haloscope::render {

struct PlotLimits {
  AxisLimits x{0, 1}, y{0, 1};
  bool operator==(const PlotLimits&) const = default;
};

// What shows all of a plot: its points with their bars and its marked lines, with some air; where
// the plot says what is to be seen, that.
PlotLimits fitting_limits(const analysis::Plot& plot);

}  // namespace haloscope::render
