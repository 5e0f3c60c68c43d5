#pragma once

#include "core/host_device.h"

#include <cstddef>

// What a tone curve is chosen from: two quantiles of the light of a picture's
// pixels. Here stands what host and GPU share, so that both choose the same
// curve, to the last bit.
namespace haloscope::compute::splotch {

struct LightQuantiles {
  bool lit = false;  // whether any pixel received light; else the rest means nothing
  float median = 0;
  float bright = 0;  // all but a thousandth of the lit pixels are darker
};

inline constexpr double kBrightQuantile = 0.999;

HALOSCOPE_HD inline float usable_light(float value) {
  // False for NaN; infinity is no light that could be shown.
  return value > 0 && value <= 3.40282347e38f ? value : 0.f;
}

// The largest of the three components; 0: no light.
HALOSCOPE_HD inline float light_of(const float* rgb) {
  float light = 0;
  for (int c = 0; c < 3; ++c) {
    const float value = usable_light(rgb[c]);
    if (value > light) light = value;
  }
  return light;
}

// Of large pictures every so-maniest pixel: an odd number, so that the sample
// does not walk down columns of the image. Where no pixel of the sample is lit,
// all are looked at.
inline std::size_t quantile_stride(std::size_t pixels) {
  constexpr std::size_t kSample = 1u << 20;
  return pixels <= kSample ? 1 : (pixels / kSample) | 1;
}

// Place of a quantile among `lit` values in ascending order; lit > 0.
HALOSCOPE_HD inline std::size_t quantile_place(std::size_t lit, double quantile) {
  return std::size_t(quantile * double(lit - 1) + 0.5);
}

}  // namespace haloscope::compute::splotch
