#pragma once

#include "compute/exec/rounded.h"
#include "compute/splotch/map_kernel.h"
#include "compute/splotch/splat.h"
#include "core/host_device.h"

#include <bit>
#include <cmath>
#include <cstdint>

// Sums of light in whole numbers, for pictures that are the same to the last bit whatever the order
// of the particles, and however they are divided among threads, GPUs and ranks (--deterministic in
// default mode). Each deposit (what one particle leaves in one pixel) is rounded once, to a whole
// number of units; sums of 64-bit integers are exact.
//
// The unit. Let p be the most that a particle leaves in any pixel, S the sum of p over all
// particles that are drawn, P the largest p. The unit is the smallest power of two with
//   S < 2⁶¹ units    and    P < 2⁵⁰ units.
// A pixel with n deposits holds at most S + n/2 units, n < 2⁶¹: less than 2⁶², so that 64 bits with
// a sign hold it. The second bound is that of rounded(). S is summed in whole numbers too and
// rounded up (LightPeaks), to at most twice itself where peaks are normal floats: the unit hangs
// neither on an order nor on ranks.
//
// What 64 bits keep. A deposit d is right to half a unit: of d at least 10 bits are kept where
// S < 2⁵¹ d. N particles alike whose radii in pixels differ by a factor f have S/d = N f²: 10⁹
// particles may have f = 1500, 10¹² may have f = 47, and of splats in the same pixel the wider one
// has its light in f² pixels besides. What is 2⁵¹ times fainter than all particles in one pixel is
// not seen: a tone curve spans five decades. So pictures need no more bits; maps, which hold
// masses, have 128 (map_sum.h). Known weakness: one particle that outshines a typical one by 2⁵⁰
// leaves few bits for the others.
namespace haloscope::compute::splotch {

// The most that a splat leaves in a pixel, in its brightest channel: no kernel leaves more than
// 1.8 emission/radius², nor more than the emission.
HALOSCOPE_HD inline float light_peak(const Splat& s) {
  const float brightest =
      larger(fabsf(s.emission[0]), larger(fabsf(s.emission[1]), fabsf(s.emission[2])));
  const float area = s.radius * s.radius * (1 / 1.8f);
  return area > 1 ? brightest / area : brightest;
}

// A sum of peaks of fewer than 2³² splats, each rounded up to a whole number: of one for each 32
// octaves, whose quantum is twice their smallest number.
struct LightPeaks {
  static constexpr int kBins = 8;
  static constexpr int kOctaves = 32;
  static constexpr int kLowest = 126;  // bin b has quanta of 2^(32 b − 126)

  std::uint64_t sums[kBins] = {};
  float largest = 0;

  HALOSCOPE_HD LightPeaks& operator+=(const LightPeaks& other) {
    for (int b = 0; b < kBins; ++b) sums[b] += other.sums[b];
    largest = larger(largest, other.largest);
    return *this;
  }

  HALOSCOPE_HD void add(float peak) {
    if (!(peak > 0)) return;
    largest = larger(largest, peak);
    const int bin = int((bits_of(double(peak)) >> 52) - (1023 - 127)) / kOctaves;
    const int at = bin < 0 ? 0 : bin;  // subnormal floats
    sums[at] += std::uint64_t(ceil(std::ldexp(double(peak), kLowest - kOctaves * at)));
  }
};

struct AddPeaks {
  HALOSCOPE_HD LightPeaks operator()(LightPeaks a, const LightPeaks& b) const { return a += b; }
};

// Sums of LightPeaks: of any number of splats.
struct AllLightPeaks {
  std::uint64_t low[LightPeaks::kBins] = {},
                high[LightPeaks::kBins] = {};  // Σ of halves of 32 bits
  float largest = 0;

  void add(const LightPeaks& some) {
    for (int b = 0; b < LightPeaks::kBins; ++b) {
      low[b] += some.sums[b] & 0xffffffff;
      high[b] += some.sums[b] >> 32;
    }
    largest = larger(largest, some.largest);
  }
  void add(const AllLightPeaks& other) {
    for (int b = 0; b < LightPeaks::kBins; ++b) {
      low[b] += other.low[b];
      high[b] += other.high[b];
    }
    largest = larger(largest, other.largest);
  }
  // Not below the sum of the peaks.
  double total() const {
    double sum = 0;
    for (int b = LightPeaks::kBins - 1; b >= 0; --b)
      sum += std::ldexp(double(high[b]) * 4294967296. + double(low[b]),
                        LightPeaks::kOctaves * b - LightPeaks::kLowest);
    return sum * (1 + 1e-9);  // for the roundings above
  }
};

struct LightUnit {
  double per_unit = 0;  // units in 1; 0: there is no light
  double size = 0;      // of a unit

  LightUnit() = default;
  explicit LightUnit(const AllLightPeaks& peaks) {
    if (!(peaks.largest > 0)) return;
    int sum_below = 0, peak_below = 0;  // exponents of two
    std::frexp(peaks.total(), &sum_below);
    std::frexp(double(peaks.largest), &peak_below);
    const int exponent = sum_below - 61 > peak_below - 50 ? sum_below - 61 : peak_below - 50;
    per_unit = std::ldexp(1., -exponent);
    size = std::ldexp(1., exponent);
  }
};

// Where light is summed: by pixel red, green, blue, in units.
struct LightTarget {
  int width = 0, height = 0;
  std::int64_t* rgb = nullptr;
  LightUnit unit;
};

// A splat's deposit in one pixel is weight · amount for each channel, rounded to a whole number, as
// rounded() does. By one multiply-add, whose low bits are the deposit and this besides: modulo 2⁶⁴
// it may be taken away once for many.
inline constexpr std::uint64_t kLightOffset = 0x4338000000000000;
HALOSCOPE_HD inline std::uint64_t offset_deposit(double weight, double amount) {
  return std::uint64_t(bits_of(std::fma(weight, amount, kRoundingOffset)));
}

struct LightAmounts {
  double amount[3];
  HALOSCOPE_HD LightAmounts(const Splat& s, double scale, double per_unit) {
    for (int c = 0; c < 3; ++c) amount[c] = double(s.emission[c]) * scale * per_unit;
  }
};

// Adds what a splat leaves in pixel (x, y).
HALOSCOPE_HD inline void add_deposit(const Splat& s, int x, int y, double per_unit,
                                     std::int64_t light[3]) {
  double weight = 1, scale = 1;
  if (s.radius <= kSmallRadius) {
    if (x != s.ix || y != s.iy) return;
  } else {
    const double dx = double(x - s.ix) - double(s.fx), dy = double(y - s.iy) - double(s.fy);
    if (FluxProfile::integrated(s.radius)) {
      const MapBox box(s.radius);
      weight = MapBox::weight(box.column(dx), box.row(dy));
    } else {
      const MapDisc disc(s.radius);
      scale = disc.scale();
      weight = MapDisc::weight(disc.column(dx), disc.row(dy));
    }
  }
  const LightAmounts amounts(s, scale, per_unit);
  for (int c = 0; c < 3; ++c)
    light[c] += std::int64_t(offset_deposit(weight, amounts.amount[c]) - kLightOffset);
}

}  // namespace haloscope::compute::splotch
