#pragma once

#include "core/host_device.h"

#include <cmath>
#include <cstdint>

// The distance of two rows, the same number on either executor: differences in float32, of which
// the squares, exact in float64, are added in an order of their own.
namespace haloscope::compute::brute_force {

// Differences d ≡ lane (mod kPartialSums) make one sum, and the sums are added in pairs.
inline constexpr std::uint32_t kPartialSums = 8;

HALOSCOPE_HD inline double partial_sum(const float* a, const float* b, std::uint32_t dimensions,
                                       std::uint32_t lane) {
  double sum = 0;
  for (std::uint32_t d = lane; d < dimensions; d += kPartialSums) {
    const double apart = a[d] - b[d];
    sum += apart * apart;
  }
  return sum;
}

HALOSCOPE_HD inline float distance_of(double squared) {
  return float(std::sqrt(squared));
}

HALOSCOPE_HD inline float distance_between(const float* a, const float* b,
                                           std::uint32_t dimensions) {
  double sum[kPartialSums];
  for (std::uint32_t lane = 0; lane < kPartialSums; ++lane)
    sum[lane] = partial_sum(a, b, dimensions, lane);
  return distance_of(((sum[0] + sum[1]) + (sum[2] + sum[3])) +
                     ((sum[4] + sum[5]) + (sum[6] + sum[7])));
}

// Distances are not negative, so that their bits are in their order; a row breaks ties.
HALOSCOPE_HD inline std::uint32_t bits_of(float distance) {
  union {
    float value;
    std::uint32_t bits;
  } word{distance};
  return word.bits;
}
HALOSCOPE_HD inline float distance_of_bits(std::uint32_t bits) {
  union {
    std::uint32_t bits;
    float value;
  } word{bits};
  return word.value;
}
HALOSCOPE_HD inline std::uint64_t neighbor_key(float distance, std::uint32_t row) {
  return std::uint64_t(bits_of(distance)) << 32 | row;
}
HALOSCOPE_HD inline std::uint32_t row_of(std::uint64_t key) {
  return std::uint32_t(key);
}
HALOSCOPE_HD inline float distance_of_key(std::uint64_t key) {
  return distance_of_bits(std::uint32_t(key >> 32));
}

inline constexpr std::uint64_t kNoNeighbor = ~std::uint64_t(0);

}  // namespace haloscope::compute::brute_force
