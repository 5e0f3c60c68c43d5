#pragma once

#include "compute/exec/buffer.h"
#include "core/domain.h"
#include "core/host_device.h"

#include <cmath>

namespace haloscope::compute::spatial {

// A smoothing length where the file has none. Along the Morton order, windows of kWindow particles
// that hold particle i are boxes of about constant particle number; the smallest box among a few
// shifted windows (a window that straddles a high-level cell boundary is far too large) gives the
// local number density n, and H = (3 kNeighbors / (4π n))^⅓ is the radius that would hold
// kNeighbors. Weakness: an estimate from boxes, not from true nearest neighbors; it scatters by
// some 20 %.
struct LocalSpacing {
  static constexpr int kWindow = 24;
  static constexpr int kShift = 6;
  static constexpr float kNeighbors = 32;

  const std::uint32_t *x, *y, *z;
  std::size_t count;
  float step;          // world length of one lattice step
  float largest;       // cap, world length
  float smallest;      // floor, world length
  const float* given;  // keeps positive values; may be null
  float* radius;

  HALOSCOPE_HD void operator()(std::size_t i) const {
    if (given && given[i] > 0) {
      radius[i] = given[i];
      return;
    }
    float volume = 3.4e38f;
    const std::size_t window = count < std::size_t(kWindow) ? count : std::size_t(kWindow);
    for (int shift = 0; shift <= kWindow; shift += kShift) {
      std::size_t first = i > std::size_t(shift) ? i - std::size_t(shift) : 0;
      if (first + window > count) first = count - window;
      // Differences to particle i wrap across a periodic edge as they should.
      std::int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
      for (std::size_t j = first; j < first + window; ++j) {
        const std::int32_t d[3] = {std::int32_t(x[j] - x[i]), std::int32_t(y[j] - y[i]),
                                   std::int32_t(z[j] - z[i])};
        for (int c = 0; c < 3; ++c) {
          if (d[c] < low[c]) low[c] = d[c];
          if (d[c] > high[c]) high[c] = d[c];
        }
      }
      // Sides as if the outermost particles sat half a spacing inside the box.
      const float widen = float(window + 1) / float(window > 1 ? window - 1 : 1);
      const float side = std::cbrt(widen);
      float v = 1;
      float longest = 0;
      float sides[3];
      for (int c = 0; c < 3; ++c) {
        sides[c] = (float(high[c]) - float(low[c])) * step * side;
        if (sides[c] > longest) longest = sides[c];
      }
      // A sheet or a line of particles still fills some volume.
      for (int c = 0; c < 3; ++c) v *= sides[c] > 0.1f * longest ? sides[c] : 0.1f * longest;
      if (v < volume) volume = v;
    }
    const float density = float(window) / (volume > 0 ? volume : 1e-30f);
    const float h = std::cbrt(3.f * kNeighbors / (4.f * 3.14159265f * density));
    radius[i] = h < smallest ? smallest : (h > largest ? largest : h);
  }
};

}  // namespace haloscope::compute::spatial
