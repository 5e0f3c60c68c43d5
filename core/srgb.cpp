#include "core/srgb.h"

#include <cmath>

namespace haloscope {

float srgb_to_linear(float display) {
  return display <= 0.04045f ? display / 12.92f : std::pow((display + 0.055f) / 1.055f, 2.4f);
}

}  // namespace haloscope
