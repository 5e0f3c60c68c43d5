#pragma once

#include "core/host_device.h"

#include <cstdint>

namespace haloscope::compute::spatial {

// Spreads the low 21 bits of x so that two zero bits follow each.
HALOSCOPE_HD inline std::uint64_t spread_bits(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffull;
  x = (x | x << 16) & 0x1f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  x = (x | x << 2) & 0x1249249249249249ull;
  return x;
}

inline constexpr int kMortonBits = 63;

// Morton code of a fixed-point position: its upper 21 bits per axis, interleaved, x highest.
HALOSCOPE_HD inline std::uint64_t morton_code(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return spread_bits(x >> 11) << 2 | spread_bits(y >> 11) << 1 | spread_bits(z >> 11);
}

}  // namespace haloscope::compute::spatial
