#pragma once

#include "compute/spatial/points_view.h"
#include "core/host_device.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace haloscope::compute::spatial {

// A smoothing length where the file has none: H is the radius that would hold kNeighbors particles
// at the local density, which is taken from the distance to the kNearest-th nearest among the
// kWindow particles that precede and the kWindow that follow in Morton order. Weakness: neighbors
// that the Morton order has put far away are missed, so H is too large by up to a factor of two
// beside the faces of high-level cells, and by a few percent on the average; it scatters by 12 %
// (kNearest particles are counted).
struct LocalSpacing {
  static constexpr int kWindow = 32;
  static constexpr int kNearest = 8;
  static constexpr float kNeighbors = 32;

  Positions position;  // in Morton order
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
    // A set smaller than a window is looked through whole.
    const std::size_t first = i > std::size_t(kWindow) ? i - std::size_t(kWindow) : 0;
    const std::size_t end =
        i + std::size_t(kWindow) + 1 < count ? i + std::size_t(kWindow) + 1 : count;
    constexpr float kNone = 3e38f;
    float nearest[kNearest];  // squared distances, ascending
    for (float& d : nearest) d = kNone;
    const FixedPoint p = position.at(i);
    for (std::size_t j = first; j < end; ++j) {
      if (j == i) continue;
      const FixedPoint q = position.at(j);
      // Differences wrap across a periodic edge as they should.
      const float dx = float(std::int32_t(q.x - p.x));
      const float dy = float(std::int32_t(q.y - p.y));
      const float dz = float(std::int32_t(q.z - p.z));
      float d = dx * dx + dy * dy + dz * dz;
      for (float& known : nearest) {
        const float closer = d < known ? d : known;
        d = d < known ? known : d;
        known = closer;
      }
    }
    int found = kNearest;
    while (found > 0 && nearest[found - 1] == kNone) --found;
    float h = largest;
    if (found > 0) h = std::sqrt(nearest[found - 1]) * step * std::cbrt(kNeighbors / float(found));
    radius[i] = h < smallest ? smallest : (h > largest ? largest : h);
  }
};

}  // namespace haloscope::compute::spatial
