#include "render/colors/tone_map.h"

#include "core/srgb.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace haloscope::render {

namespace {

// Display value of the median lit pixel: in a cosmological box that is the voids' background.
constexpr double kMedianDisplay = 0.18;
// The strongest stretch: beyond five decades, noise of single particles becomes the picture.
constexpr double kWidestStretch = 1e5;
// Between these display values colors fade to white.
constexpr float kFadeBegin = 0.75f, kFadeEnd = 1.5f;

using compute::splotch::light_of;
using compute::splotch::LightQuantiles;
using compute::splotch::usable_light;

double display(double light, const ToneCurve& curve) {
  return std::asinh(light / curve.softening) / std::asinh(curve.white / curve.softening);
}

float quantile(std::vector<float>& values, double q) {
  const auto k = std::ptrdiff_t(compute::splotch::quantile_place(values.size(), q));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[std::size_t(k)];
}

std::vector<float> lit_pixels(const ImageF& frame, std::size_t stride) {
  const std::size_t pixels = std::size_t(frame.width) * std::size_t(frame.height);
  std::vector<float> light;
  for (std::size_t i = 0; i < pixels; i += stride)
    if (const float l = light_of(&frame.pixels[3 * i]); l > 0) light.push_back(l);
  return light;
}

float linear_to_srgb(float linear) {
  linear = std::clamp(linear, 0.f, 1.f);
  return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

std::uint8_t to_byte(float display) {
  return std::uint8_t(std::lround(255 * display));
}

// pow for every component of every pixel would take longer than the splatting of a small set;
// sampled at equal steps of the square root, where sRGB is nearly linear.
class SrgbTable {
 public:
  SrgbTable() {
    for (std::size_t i = 0; i < kSize; ++i) {
      const float root = float(i) / float(kSize - 1);
      bytes_[i] = to_byte(linear_to_srgb(root * root));
    }
  }
  std::uint8_t operator()(float linear) const {
    const float root = std::sqrt(std::clamp(linear, 0.f, 1.f));
    return bytes_[std::size_t(root * float(kSize - 1) + 0.5f)];
  }

 private:
  static constexpr std::size_t kSize = 8192;
  std::array<std::uint8_t, kSize> bytes_{};
};

}  // namespace

bool has_light(const ImageF& frame) {
  return std::any_of(frame.pixels.begin(), frame.pixels.end(),
                     [](float value) { return usable_light(value) > 0; });
}

LightQuantiles light_quantiles(const ImageF& frame) {
  const std::size_t stride =
      compute::splotch::quantile_stride(std::size_t(frame.width) * std::size_t(frame.height));
  std::vector<float> light = lit_pixels(frame, stride);
  if (light.empty() && stride > 1) light = lit_pixels(frame, 1);
  if (light.empty()) return {};
  const float median = quantile(light, 0.5);
  return {true, median, quantile(light, compute::splotch::kBrightQuantile)};
}

ToneCurve choose_tone_curve(const ImageF& frame) {
  return choose_tone_curve(light_quantiles(frame));
}

ToneCurve choose_tone_curve(const LightQuantiles& light) {
  if (!light.lit) return {};
  const double median = double(light.median);
  ToneCurve curve;
  // At least twice the median, so that a uniform picture is not all white.
  curve.white = std::max(double(light.bright), 2 * median);
  // The median's display value falls as the softening grows: bisection in its logarithm.
  double low = std::log(curve.white / kWidestStretch), high = std::log(curve.white);
  for (int step = 0; step < 60; ++step) {
    curve.softening = std::exp(0.5 * (low + high));
    (display(median, curve) > kMedianDisplay ? low : high) = 0.5 * (low + high);
  }
  return curve;
}

Image8 tone_map(const ImageF& frame, const ToneCurve& curve, double exposure, double gamma) {
  static const SrgbTable table;
  // A power below 1 spreads the darkest values over many bytes, where a table has too few steps.
  const auto encode = [&](float linear) {
    return gamma == 1 ? table(linear) : to_byte(std::pow(linear_to_srgb(linear), float(gamma)));
  };
  Image8 out(frame.width, frame.height, 3);
  const float scale = float(exposure / curve.softening);
  const float inverse_white = float(1 / std::asinh(curve.white / curve.softening));
  const std::size_t pixels = std::size_t(frame.width) * std::size_t(frame.height);
  ::tbb::parallel_for(::tbb::blocked_range<std::size_t>(0, pixels, 16384), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const float* rgb = &frame.pixels[3 * i];
      const float light = light_of(rgb);
      if (!(light > 0)) continue;
      const float v = std::asinh(light * scale) * inverse_white;
      const float value = srgb_to_linear(std::min(v, 1.f));
      const float t = std::clamp((v - kFadeBegin) / (kFadeEnd - kFadeBegin), 0.f, 1.f);
      const float white = t * t * (3 - 2 * t);
      for (std::size_t c = 0; c < 3; ++c)
        out.pixels[3 * i + c] =
            encode(value * (white + (1 - white) * (usable_light(rgb[c]) / light)));
    }
  });
  return out;
}

}  // namespace haloscope::render
