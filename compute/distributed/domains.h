#pragma once

#include "compute/exec/ranks.h"
#include "compute/spatial/morton.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// Some points of this rank, on the lattice.
struct PointPart {
  std::array<const std::uint32_t*, 3> position{};
  std::uint64_t count = 0;
};

// Which rank works on which part of space: each has one stretch of the Morton order. Many points
// have many neighbors: stretches hold nearly equal numbers of points.
class Domains {
 public:
  // All ranks call it with the points that they have; points may lie anywhere. Stretches are cut by
  // a sample, so that their sizes differ by some percent.
  Domains(Ranks& ranks, std::span<const PointPart> parts);

  int size() const { return int(begin_.size()) + 1; }
  int owner(std::uint64_t code) const {
    return int(std::upper_bound(begin_.begin(), begin_.end(), code) - begin_.begin());
  }
  int owner(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return owner(spatial::morton_code(x, y, z));
  }

  // Calls f(rank), once and ascending, for each rank whose part of space a cube of half width
  // `reach` about a point meets, around the edges of the lattice.
  template <class F>
  void each_near(const std::array<std::uint32_t, 3>& at, std::uint32_t reach, const F& f) const {
    int next = 0;
    descend({0, 0, 0}, 0, at, reach, next, f);
  }

 private:
  static constexpr int kLevels = spatial::kMortonBits / 3;

  // How a cell of a level lies to the cube along one axis.
  enum class Meets { Not, Partly, Within };
  static Meets meets(std::uint32_t cell, int level, std::uint32_t center, std::uint32_t reach) {
    const std::uint64_t width = std::uint64_t(1) << (32 - level);
    const std::uint64_t span = 2 * std::uint64_t(reach) + 1;
    constexpr std::uint64_t kAll = std::uint64_t(1) << 32;
    if (span >= kAll) return Meets::Within;
    // From the cube's lower edge up to the cell's, around the lattice.
    const std::uint64_t from = std::uint32_t(cell - (center - reach));
    if (from < span) return from + width <= span ? Meets::Within : Meets::Partly;
    return from + width > kAll ? Meets::Partly : Meets::Not;
  }

  // Ranks below `next` have been told.
  template <class F>
  void descend(const std::array<std::uint32_t, 3>& cell, int level,
               const std::array<std::uint32_t, 3>& at, std::uint32_t reach, int& next,
               const F& f) const {
    bool within = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Meets m = meets(cell[axis], level, at[axis], reach);
      if (m == Meets::Not) return;
      within = within && m == Meets::Within;
    }
    const std::uint64_t first = spatial::morton_code(cell[0], cell[1], cell[2]);
    const std::uint64_t count = std::uint64_t(1) << 3 * (kLevels - level);
    const int low = owner(first), high = owner(first + (count - 1));
    if (within || low == high || level == kLevels) {
      for (int r = std::max(low, next); r <= high; ++r) f(r);
      next = std::max(next, high + 1);
      return;
    }
    const std::uint32_t half = std::uint32_t(1) << (31 - level);
    for (std::uint32_t child = 0; child < 8; ++child)
      descend({cell[0] + (child >> 2 & 1) * half, cell[1] + (child >> 1 & 1) * half,
               cell[2] + (child & 1) * half},
              level + 1, at, reach, next, f);
  }

  std::vector<std::uint64_t> begin_;  // Morton codes at which the stretches of ranks 1, 2, … begin
};

}  // namespace haloscope::compute::distributed
