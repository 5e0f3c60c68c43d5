#pragma once

#include "core/host_device.h"

#include <bit>
#include <cstdint>

// Doubles rounded to whole numbers, alike on both executors: what sums in whole numbers begin with.
namespace haloscope::compute {

HALOSCOPE_HD inline std::int64_t bits_of(double x) {
#if defined(__CUDA_ARCH__)
  return __double_as_longlong(x);
#else
  return std::bit_cast<std::int64_t>(x);
#endif
}

// Added to a double below 2⁵¹, it leaves whole numbers alone: 1.5 · 2⁵².
inline constexpr double kRoundingOffset = 6755399441055744.;

// The nearest whole number, ties to even, of |x| < 2⁵¹: the low bits of x + 1.5 · 2⁵². The same on
// both executors, and fit for SIMD.
HALOSCOPE_HD inline std::int64_t rounded(double x) {
  constexpr std::int64_t kOffsetBits = 0x4338000000000000;
  return bits_of(x + kRoundingOffset) - kOffsetBits;
}

// The same as a double.
HALOSCOPE_HD inline double rounded_whole(double x) {
  return (x + kRoundingOffset) - kRoundingOffset;
}

}  // namespace haloscope::compute
