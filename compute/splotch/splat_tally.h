#pragma once

#include "compute/splotch/levels.h"
#include "compute/splotch/settings.h"
#include "compute/splotch/splat.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

namespace haloscope::compute::splotch {

// What a batch of particles came to.
struct SplatTally {
  std::uint64_t by_class[4] = {};  // particles in each Class
  std::uint64_t wide = 0;          // active ones that may be drawn on levels
  double wide_updates = 0;         // theirs in exact drawing
  double radius_sum = 0;           // of the active ones, pixels
  // Pixel updates: 1 per small particle, πr² per other, no more than the picture has.
  double updates = 0;

  HALOSCOPE_HD SplatTally& operator+=(const SplatTally& other) {
    for (int c = 0; c < 4; ++c) by_class[c] += other.by_class[c];
    wide += other.wide;
    wide_updates += other.wide_updates;
    radius_sum += other.radius_sum;
    updates += other.updates;
    return *this;
  }

  // Of an active one, on a picture of so many pixels.
  HALOSCOPE_HD void count_wide(float radius, float pixels) {
    if (radius < kLevelRadius) return;
    ++wide;
    wide_updates += double(smaller(pixels, 3.14159265f * radius * radius));
  }
  HALOSCOPE_HD void count(Class c, float radius, float pixels) {
    ++by_class[std::size_t(c)];
    if (c == Class::Inactive) return;
    radius_sum += double(radius);
    updates += double(smaller(larger(1.f, 3.14159265f * radius * radius), pixels));
  }
};

inline void add_to_counts(Counts& counts, const SplatTally& tally) {
  const auto active = [&counts] { return counts.small + counts.medium + counts.large; };
  const double radius_sum = counts.mean_radius_pixels * double(active()) + tally.radius_sum;
  counts.inactive += tally.by_class[std::size_t(Class::Inactive)];
  counts.small += tally.by_class[std::size_t(Class::Small)];
  counts.medium += tally.by_class[std::size_t(Class::Medium)];
  counts.large += tally.by_class[std::size_t(Class::Large)];
  counts.mean_radius_pixels = active() ? radius_sum / double(active()) : 0;
  counts.pixel_updates += tally.updates;
}

}  // namespace haloscope::compute::splotch
