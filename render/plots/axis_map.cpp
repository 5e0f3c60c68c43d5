#include "render/plots/axis_map.h"

#include <algorithm>
#include <cmath>

namespace haloscope::render {

namespace {

using analysis::AxisScale;

// Steps that are closer than this part of where they are cannot be told apart in double precision.
constexpr double kLeastSpan = 1e-9;

AxisLimits unscaled_or_kept(const AxisMap& axis, double low, double high) {
  const AxisLimits limits{axis.unscaled(low), axis.unscaled(high)};
  const bool numbers = std::isfinite(limits[0]) && std::isfinite(limits[1]) &&
                       limits[0] < limits[1] && std::isfinite(limits[1] - limits[0]) &&
                       (axis.scale != AxisScale::Log || limits[0] > 0);
  const double least = kLeastSpan * std::max({std::abs(low), std::abs(high), 1e-290});
  return numbers && high - low > least ? limits : axis.limits;
}

}  // namespace

double AxisMap::scaled(double value) const {
  switch (scale) {
    case AxisScale::Log:
      return value > 0 ? std::log10(value) : analysis::kNotThere;
    case AxisScale::Asinh:
      return std::asinh(value / softening);
    default:
      return value;
  }
}

double AxisMap::unscaled(double step) const {
  switch (scale) {
    case AxisScale::Log:
      return std::pow(10, step);
    case AxisScale::Asinh:
      return softening * std::sinh(step);
    default:
      return step;
  }
}

double AxisMap::at(double value) const {
  const double low = scaled(limits[0]), high = scaled(limits[1]);
  return begin + (scaled(value) - low) / (high - low) * (end - begin);
}

double AxisMap::value_at(double place) const {
  const double low = scaled(limits[0]), high = scaled(limits[1]);
  return unscaled(low + (place - begin) / (end - begin) * (high - low));
}

AxisLimits zoomed(const AxisMap& axis, double factor, double place) {
  const double low = axis.scaled(axis.limits[0]), high = axis.scaled(axis.limits[1]);
  const double about = low + (place - axis.begin) / (axis.end - axis.begin) * (high - low);
  return unscaled_or_kept(axis, about + (low - about) * factor, about + (high - about) * factor);
}

AxisLimits panned(const AxisMap& axis, double pixels) {
  const double low = axis.scaled(axis.limits[0]), high = axis.scaled(axis.limits[1]);
  const double step = pixels / (axis.end - axis.begin) * (high - low);
  return unscaled_or_kept(axis, low - step, high - step);
}

}  // namespace haloscope::render
