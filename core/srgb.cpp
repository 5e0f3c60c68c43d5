#include "core/srgb.h"

#include <cmath>

namespace haloscope {

float srgb_to_linear(float display) {
  return display <= 0.04045f ? display / 12.92f : std::pow((display + 0.055f) / 1.055f, 2.4f);
}

float linear_to_srgb(float linear) {
  return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

}  // namespace haloscope
