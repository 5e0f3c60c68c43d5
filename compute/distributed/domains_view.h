#pragma once

#include "compute/spatial/morton.h"
#include "compute/spatial/points_view.h"
#include "core/host_device.h"

#include <cstdint>

namespace haloscope::compute::distributed {

// What spatial::spread_bits() spread: every third bit of x.
HALOSCOPE_HD inline std::uint64_t gather_bits(std::uint64_t x) {
  x &= 0x1249249249249249ull;
  x = (x | x >> 2) & 0x10c30c30c30c30c3ull;
  x = (x | x >> 4) & 0x100f00f00f00f00full;
  x = (x | x >> 8) & 0x1f0000ff0000ffull;
  x = (x | x >> 16) & 0x1f00000000ffffull;
  x = (x | x >> 32) & 0x1fffff;
  return x;
}

// The lowest coordinate that has the bits of a code: of z; of y and x with the code shifted right
// by one and by two.
HALOSCOPE_HD inline std::uint32_t morton_axis(std::uint64_t code) {
  return std::uint32_t(gather_bits(code)) << 11;
}

// Behind the last Morton code.
inline constexpr std::uint64_t kEndOfCodes = std::uint64_t(1) << spatial::kMortonBits;

// Which rank works on which part of space, where an executor reads it: each rank has one stretch of
// the Morton order.
struct DomainsView {
  const std::uint64_t* begin = nullptr;  // Morton codes at which ranks 1, 2, … begin
  int cuts = 0;                          // how many of them

  HALOSCOPE_HD int owner(std::uint64_t code) const {
    int low = 0, high = cuts;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (begin[middle] <= code)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  // Calls f(rank), once and ascending, for each rank whose part of space a cube of half width
  // `reach` about a point meets, around the edges of the lattice. Goes through the cells of an
  // octree in Morton order, into those that the cube meets and several ranks share.
  template <class F>
  HALOSCOPE_HD void each_near(const spatial::FixedPoint& at, std::uint32_t reach,
                              const F& f) const {
    std::uint64_t code = 0;
    int level = 0, next = 0;
    while (code < kEndOfCodes) {
      const std::uint64_t size = std::uint64_t(1) << 3 * (kLevels - level);
      const Meets met = meets_cell(code, level, at, reach);
      if (met != Meets::Not) {
        const int low = owner(code), high = owner(code + (size - 1));
        if (met == Meets::Partly && low != high && level < kLevels) {
          ++level;
          continue;
        }
        for (int r = low > next ? low : next; r <= high; ++r) f(r);
        if (high >= next) next = high + 1;
        if (next > cuts) return;
      }
      code += size;
      rise(code, level);
    }
  }

  // Calls f(first code, how many codes) for the cells, in Morton order and none smaller than those
  // of level `deepest`, that together cover such a cube.
  template <class F>
  HALOSCOPE_HD static void each_cell_near(const spatial::FixedPoint& at, std::uint32_t reach,
                                          int deepest, const F& f) {
    std::uint64_t code = 0;
    int level = 0;
    while (code < kEndOfCodes) {
      const std::uint64_t size = std::uint64_t(1) << 3 * (kLevels - level);
      const Meets met = meets_cell(code, level, at, reach);
      if (met == Meets::Partly && level < deepest) {
        ++level;
        continue;
      }
      if (met != Meets::Not) f(code, size);
      code += size;
      rise(code, level);
    }
  }

 private:
  static constexpr int kLevels = spatial::kMortonBits / 3;

  // Up to where the next cell is not the first of its parent.
  HALOSCOPE_HD static void rise(std::uint64_t code, int& level) {
    while (level > 0 && (code >> 3 * (kLevels - level) & 7) == 0) --level;
  }

  // How a cell of a level lies to the cube.
  enum class Meets { Not, Partly, Within };

  HALOSCOPE_HD static Meets meets_axis(std::uint32_t cell, int level, std::uint32_t center,
                                       std::uint32_t reach) {
    const std::uint64_t width = std::uint64_t(1) << (32 - level);
    const std::uint64_t span = 2 * std::uint64_t(reach) + 1;
    constexpr std::uint64_t kAll = std::uint64_t(1) << 32;
    if (span >= kAll) return Meets::Within;
    // From the cube's lower edge up to the cell's, around the lattice.
    const std::uint64_t from = std::uint32_t(cell - (center - reach));
    if (from < span) return from + width <= span ? Meets::Within : Meets::Partly;
    return from + width > kAll ? Meets::Partly : Meets::Not;
  }

  HALOSCOPE_HD static Meets meets_cell(std::uint64_t code, int level, const spatial::FixedPoint& at,
                                       std::uint32_t reach) {
    const Meets x = meets_axis(morton_axis(code >> 2), level, at.x, reach);
    if (x == Meets::Not) return x;
    const Meets y = meets_axis(morton_axis(code >> 1), level, at.y, reach);
    if (y == Meets::Not) return y;
    const Meets z = meets_axis(morton_axis(code), level, at.z, reach);
    if (z == Meets::Not) return z;
    const bool within = x == Meets::Within && y == Meets::Within && z == Meets::Within;
    return within ? Meets::Within : Meets::Partly;
  }
};

}  // namespace haloscope::compute::distributed
