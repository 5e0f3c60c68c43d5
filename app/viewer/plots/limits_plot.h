#pragma once

#include "analysis/snapshot/field_histogram.h"
#include "app/viewer/panels/panel_input.h"

#include <array>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// Even steps of a quantity on a horizontal line of pixels.
struct PlotLine {
  double low = 0, high = 1;  // at the ends
  float left = 0, width = 1;

  // Beyond the ends: the end.
  float x_of(double value) const;
  double value_at(float x) const;
};

// Which of two limits (0 the lower one, 1 the upper one) a press at x takes: the nearer one; where
// both are at one place, the one on the press's side.
int limit_at(const PlotLine& line, const compute::splotch::Ranging& color, float x);

// The two limits of a `limits` command after one of them was dragged to x, in the field's units
// with as many digits as a pixel is worth; empty where it would pass the other one. `now`: the
// limits as they are, field's units.
std::string dragged_limits(const PlotLine& line, compute::splotch::Transform scale,
                           const session::Limits& now, int which, float x);

// The histogram of a type's color with its limits, which can be dragged. `color`, `palette`: as the
// type is drawn; `type`: the TYPE of a command.
void show_limits_plot(const PanelInput& input, const std::string& type,
                      const analysis::FieldHistograms& values,
                      const compute::splotch::Ranging& color, const session::Limits& now,
                      const std::vector<std::array<float, 3>>& palette);

}  // namespace haloscope::app::viewer
