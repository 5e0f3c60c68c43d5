#include "render/plots/plot_limits.h"

#include <algorithm>
#include <cmath>

namespace haloscope::render {

namespace {

using analysis::AxisScale;
using analysis::LayerKind;

constexpr double kAir = 0.04;        // of the span, on both sides
constexpr double kLeastDecades = 1;  // of a logarithmic axis
// Marks and places are computed from limits within these, so that nothing overflows on the way.
constexpr double kLargest = 1e300, kSmallest = 1e-300;

AxisLimits within_numbers(const AxisLimits& limits, bool log) {
  const double least = log ? kSmallest : -kLargest;
  const AxisLimits kept{std::clamp(limits[0], least, kLargest),
                        std::clamp(limits[1], least, kLargest)};
  if (kept[1] - kept[0] >= kSmallest && kept[0] < kept[1]) return kept;
  return log ? AxisLimits{1, 10} : AxisLimits{0, 1};
}

// Grows by what it is shown, in even steps of the scale.
class Span {
 public:
  explicit Span(const analysis::PlotAxis& axis)
      : axis_(axis), map_{axis.scale, axis.softening, {0, 1}, 0, 1} {}

  void show(double value) {
    const double step = map_.scaled(value);
    if (!std::isfinite(step)) return;
    low_ = std::min(low_, step);
    high_ = std::max(high_, step);
  }

  // `rests`: bars stand on the lower end, if that is 0.
  AxisLimits limits(bool rests) const {
    const bool log = axis_.scale == AxisScale::Log;
    if (axis_.low < axis_.high && std::isfinite(map_.scaled(axis_.low)))
      return within_numbers({axis_.low, axis_.high}, log);
    if (!(low_ <= high_)) return log ? AxisLimits{1, 10} : AxisLimits{0, 1};
    double low = low_, high = high_;
    const double air = kAir * (high - low);
    if (!(rests && low == 0)) low -= air;
    high += air;
    const double size = std::max(std::abs(low), std::abs(high));
    const double least = log ? kLeastDecades : size > 0 ? 1e-6 * size : 1;
    const double lacking = std::max(0., least - (high - low));
    return within_numbers({map_.unscaled(low - lacking / 2), map_.unscaled(high + lacking / 2)},
                          log);
  }

 private:
  const analysis::PlotAxis& axis_;
  AxisMap map_;
  double low_ = HUGE_VAL, high_ = -HUGE_VAL;
};

}  // namespace

PlotLimits fitting_limits(const analysis::Plot& plot) {
  Span x(plot.x), y(plot.y);
  bool rests = false;
  for (const auto& layer : plot.layers) {
    const bool bins = layer.kind == LayerKind::Steps || layer.kind == LayerKind::Bars;
    for (const auto& point : layer.points) {
      if (!bins) x.show(point.x);
      for (const double value : {point.x_low, point.x_high}) x.show(value);
      for (const double value : {point.y, point.y_low, point.y_high}) y.show(value);
    }
    if (layer.kind == LayerKind::Bars) {
      y.show(0);
      rests = true;
    }
  }
  if (plot.map) {
    for (const double edge : plot.map->x_edges) x.show(edge);
    for (const double edge : plot.map->y_edges) y.show(edge);
  }
  for (const auto& mark : plot.marks) (mark.across_x ? x : y).show(mark.at);
  return {x.limits(false), y.limits(rests)};
}

}  // namespace haloscope::render
