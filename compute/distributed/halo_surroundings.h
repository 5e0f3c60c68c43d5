#pragma once

#include "compute/distributed/gather_halos.h"
#include "core/array.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// Which cells of a coarse grid the spheres of some halos may reach.
class ReachedCells {
 public:
  ReachedCells() : words_(kCells / 64, 0) {}
  explicit ReachedCells(std::vector<std::uint64_t> words) : words_(std::move(words)) {}

  // Those that a cube meets, around the edges.
  void mark(const std::array<std::uint32_t, 3>& center, std::uint32_t reach);
  bool contains(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    const std::size_t cell = cell_of(x >> kShift, y >> kShift, z >> kShift);
    return words_[cell / 64] >> cell % 64 & 1;
  }
  const std::vector<std::uint64_t>& words() const { return words_; }
  static constexpr std::size_t kWords = (std::size_t(1) << 21) / 64;

 private:
  static constexpr std::uint32_t kSide = 128;  // cells: 256 KiB a rank
  static constexpr int kShift = 25;
  static constexpr std::size_t kCells = std::size_t(kSide) * kSide * kSide;
  static_assert(kCells / 64 == kWords);
  static std::size_t cell_of(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return (std::size_t(z) * kSide + y) * kSide + x;
  }
  std::vector<std::uint64_t> words_;
};

// Of each rank the cells that spheres about members of its halos may reach. Without a cosmology
// there are no spheres, and no cells. `halo_of`: by kind, of each row the place of its halo, or
// kNoise; empty for kinds without members.
std::vector<ReachedCells> cells_around_halos(
    Ranks& ranks, const GatherRequest& request,
    const std::vector<LargeVector<std::uint32_t>>& halo_of);

}  // namespace haloscope::compute::distributed
