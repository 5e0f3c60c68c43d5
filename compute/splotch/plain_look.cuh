#pragma once

#include "compute/splotch/layer.h"

#include <cmath>

namespace haloscope::compute::splotch {

// What of a Shading the particles of plain runs need.
struct PlainLook {
  // Where in the palette, from 0 to 1: (value − low) · factor, of the value's binary logarithm
  // where `logarithm`. The value is the color column, or the stored radius of density colors.
  float low, factor;
  bool logarithm;
  float light;  // brightness, times the weight where all have one
};

inline PlainLook plain_look(const Layer& layer) {
  const Shading& s = layer.shading;
  const Columns& c = layer.columns;
  PlainLook look{-1, 1, false, s.brightness};
  if (!c.weight) look.light = c.uniform_weight * s.brightness;
  if (!s.has_color) return look;
  constexpr double kLog10Of2 = 0.30102999566398120;
  double low = s.color.low, factor = s.inverse_color_range;
  look.logarithm = s.color.transform == Transform::Log;
  if (look.logarithm) {
    low /= kLog10Of2;
    factor *= kLog10Of2;
  }
  if (c.density_color > 0) {
    // log₂(n / (4π/3 r³)) = log₂(n · 3/(4π)) − 3 log₂(r)
    low = (std::log2(double(c.density_color) * 0.238732415) - low) / 3;
    factor *= -3;
  }
  look.low = float(low);
  look.factor = float(factor);
  return look;
}

}  // namespace haloscope::compute::splotch
