#pragma once

#include "compute/splotch/renderer.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace haloscope::test {

// The largest difference of a channel as shown by 1 − exp(−τ) where the mean pixel of `b` is at
// τ = 1.
inline double most_shown(const compute::splotch::Frame& a, const compute::splotch::Frame& b) {
  REQUIRE(a.image.pixels.size() == b.image.pixels.size());
  double sum = 0;
  for (const float v : b.image.pixels) sum += v;
  const double mean = sum / double(b.image.pixels.size());
  REQUIRE(mean > 0);
  double worst = 0;
  for (std::size_t i = 0; i < a.image.pixels.size(); ++i) {
    const double off = std::abs(std::exp(-double(a.image.pixels[i]) / mean) -
                                std::exp(-double(b.image.pixels[i]) / mean));
    worst = std::max(worst, std::isfinite(off) ? off : HUGE_VAL);
  }
  return worst;
}

}  // namespace haloscope::test
