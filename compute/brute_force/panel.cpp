#include "compute/brute_force/panel.h"

#include "core/simd_clones.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace haloscope::compute::brute_force {

namespace {

using Lanes = float __attribute__((vector_size(4 * kPanelRows)));
using Bits = std::int32_t __attribute__((vector_size(4 * kPanelRows)));

constexpr Bits kBitOfLane = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                             1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};

}  // namespace

HALOSCOPE_SIMD_CLONES void near_columns(const float* panel, const float* const* rows,
                                        const float* squared_limit, std::uint32_t dimensions,
                                        std::uint32_t* near) {
  Lanes sum[kRowsAtOnce] = {};
  for (std::uint32_t d = 0; d < dimensions; ++d) {
    Lanes column;
    std::memcpy(&column, panel + std::size_t(d) * kPanelRows, sizeof(column));
    for (std::uint32_t r = 0; r < kRowsAtOnce; ++r) {
      const Lanes apart = column - rows[r][d];
      sum[r] += apart * apart;
    }
  }
  for (std::uint32_t r = 0; r < kRowsAtOnce; ++r) {
    const Bits hits = (sum[r] <= squared_limit[r]) & kBitOfLane;
    std::int32_t all = 0;
    for (std::uint32_t l = 0; l < kPanelRows; ++l) all |= hits[l];
    near[r] = std::uint32_t(all);
  }
}

// Differences are those that are measured. Their squares and each of the sums are rounded by 2⁻²⁴
// or less, squares too small for float32 to less than they are; the measured distance is rounded
// once.
float limit_of(float distance, std::uint32_t dimensions) {
  const double squared = double(distance) * distance * (1 + (dimensions + 8.0) * 0x1p-23);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (!(squared < double(std::numeric_limits<float>::max()))) return kInfinity;
  return std::nextafter(float(squared), kInfinity);
}

}  // namespace haloscope::compute::brute_force
