#pragma once

#include "analysis/plot.h"

#include <array>

namespace haloscope::render {

// Both ends of what an axis shows, values.
using AxisLimits = std::array<double, 2>;

// Values on an axis and their places. Values that a logarithm has no place for are not finite.
struct AxisMap {
  analysis::AxisScale scale = analysis::AxisScale::Linear;
  double softening = 1;
  AxisLimits limits{0, 1};
  double begin = 0, end = 1;  // the places of the limits; upwards: begin below end

  // In even steps of the scale, and back.
  double scaled(double value) const;
  double unscaled(double step) const;
  double at(double value) const;
  double value_at(double place) const;
  bool holds(double value) const { return value >= limits[0] && value <= limits[1]; }
};

// Limits after a zoom about the value at `place`: `factor` below 1 shows less. As they were where
// numbers end.
AxisLimits zoomed(const AxisMap& axis, double factor, double place);
// After the axis was dragged by so many pixels.
AxisLimits panned(const AxisMap& axis, double pixels);

}  // namespace haloscope::render
