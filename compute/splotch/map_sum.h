#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/rounded.h"
#include "core/host_device.h"

#include <cmath>
#include <cstdint>

// The sums of maps. Each deposit (what one particle leaves in one pixel) is rounded once, to a
// whole number of quanta; from there on all is integer arithmetic, which is exact. So a map has the
// same bytes whatever the order of the particles, and holds all their mass however many share a
// pixel.
namespace haloscope::compute::splotch {

// The quanta of one channel. A deposit must fit into 51 bits, and yet a light particle's wide
// kernel needs finer quanta than a heavy particle that falls into one pixel. So there are three
// levels of them, 2²⁰ apart; a splat takes the one that suits its largest deposit, of which it then
// keeps 30 bits or more. Known weakness: of deposits below 2⁻⁶⁰ of the heaviest particle fewer are
// kept.
struct MapQuanta {
  static constexpr int kLevels = 3;
  static constexpr int kLevelBits = 20;
  static constexpr int kDepositBits = 50;
  // Deposits below 2⁵¹ that a 64-bit sum of one level holds.
  static constexpr int kAdditions = 4096;

  int top = 0;                 // all emissions are below 2^top
  double per_unit[kLevels]{};  // quanta in 1, by level
  double quantum = 0;          // of the finest level, in which pixels are kept

  MapQuanta() = default;
  // `largest`: bound of the splats' |emission|.
  explicit MapQuanta(float largest) {
    std::frexp(double(largest), &top);
    for (int level = 0; level < kLevels; ++level)
      per_unit[level] = std::ldexp(1., kDepositBits + kLevelBits * level - top);
    quantum = 1 / per_unit[kLevels - 1];
  }

  // No kernel leaves more than 1.8 emission/radius² in a pixel, nor more than the emission.
  HALOSCOPE_HD int level(float emission, float radius) const {
    const double r2 = double(radius) * double(radius);
    const double peak = std::fabs(double(emission)) / (r2 > 1 ? r2 : 1.);
    const int exponent = int(bits_of(peak) >> 52) - 1022;  // peak < 2^exponent
    const int below = (top - exponent) / kLevelBits;
    return below < 0 ? 0 : below >= kLevels ? kLevels - 1 : below;
  }

  // From a level's quanta to those of pixels.
  HALOSCOPE_HD static int shift(int level) { return kLevelBits * (kLevels - 1 - level); }
};

// A pixel of a map, one channel: a whole number of quanta of the finest level, in 128 bits (two's
// complement). 2³⁶ deposits of the largest kind fit.
struct alignas(16) MapSum {
  std::uint64_t low, high;
};

// deposits · 2^shift in 128 bits; shift below 64.
HALOSCOPE_HD inline MapSum shifted(std::int64_t deposits, int shift) {
  return {std::uint64_t(deposits) << shift, std::uint64_t(deposits >> (63 - shift) >> 1)};
}

HALOSCOPE_HD inline void add(MapSum& sum, const MapSum& more) {
  sum.low += more.low;
  sum.high += more.high + (sum.low < more.low ? 1 : 0);
}

// The same while others add to it too: each carry is told by the addition that caused it.
HALOSCOPE_HD inline void add_shared(MapSum* sum, const MapSum& more) {
  const std::uint64_t was = atomic_add(&sum->low, more.low);
  const std::uint64_t high = more.high + (was + more.low < was ? 1 : 0);
  if (high != 0) atomic_add(&sum->high, high);
}

// In quanta.
HALOSCOPE_HD inline double value(MapSum sum) {
  constexpr double kTwo64 = 18446744073709551616.;
  const bool negative = std::int64_t(sum.high) < 0;
  if (negative) {
    sum.low = ~sum.low + 1;
    sum.high = ~sum.high + (sum.low == 0 ? 1 : 0);
  }
  const double magnitude = double(sum.high) * kTwo64 + double(sum.low);
  return negative ? -magnitude : magnitude;
}

// Where a map is summed, on one executor.
struct MapTarget {
  static constexpr int kMostChannels = 2;
  int width = 0, height = 0;
  int channels = 1;               // masses, masses times field
  MapSum* sums[kMostChannels]{};  // by pixel
  MapQuanta quanta[kMostChannels];
};

}  // namespace haloscope::compute::splotch
