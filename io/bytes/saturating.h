#pragma once

#include <cstdint>
#include <limits>

namespace haloscope::io {

// Sizes made of counts that a file merely claims: what exceeds 64 bits stays the largest number,
// which no memory holds, and never wraps to a small one.
inline std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

inline std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                : product;
}

}  // namespace haloscope::io
