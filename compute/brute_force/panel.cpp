#include "compute/brute_force/panel.h"

#include "core/simd_clones.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace haloscope::compute::brute_force {

namespace {

template <int Bytes>
struct Registers {
  typedef float Lanes __attribute__((vector_size(Bytes)));
  typedef std::int32_t Bits __attribute__((vector_size(Bytes)));
  static constexpr std::uint32_t kLanes = Bytes / sizeof(float);
};

template <int Bytes>
inline __attribute__((always_inline)) void find_near(const float* panel, const float* const* rows,
                                                     const float* squared_limit,
                                                     std::uint32_t dimensions,
                                                     std::uint32_t* near) {
  using Lanes = typename Registers<Bytes>::Lanes;
  using Bits = typename Registers<Bytes>::Bits;
  constexpr std::uint32_t kLanes = Registers<Bytes>::kLanes;
  for (std::uint32_t r = 0; r < kRowsAtOnce; ++r) near[r] = 0;
  for (std::uint32_t first = 0; first < kPanelRows; first += kLanes) {
    Bits bit_of_lane;
    for (std::uint32_t l = 0; l < kLanes; ++l) bit_of_lane[l] = std::int32_t(1u << (first + l));
    Lanes sum[kRowsAtOnce] = {};
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      Lanes column;
      std::memcpy(&column, panel + std::size_t(d) * kPanelRows + first, sizeof(column));
      for (std::uint32_t r = 0; r < kRowsAtOnce; ++r) {
        const Lanes apart = column - rows[r][d];
        sum[r] += apart * apart;
      }
    }
    for (std::uint32_t r = 0; r < kRowsAtOnce; ++r) {
      const Bits hits = (sum[r] <= squared_limit[r]) & bit_of_lane;
      std::int32_t all = 0;
      for (std::uint32_t l = 0; l < kLanes; ++l) all |= hits[l];
      near[r] |= std::uint32_t(all);
    }
  }
}

}  // namespace

HALOSCOPE_BY_REGISTER(near_columns, find_near,
                      (const float* panel, const float* const* rows, const float* squared_limit,
                       std::uint32_t dimensions, std::uint32_t* near),
                      (panel, rows, squared_limit, dimensions, near))

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
