#pragma once

#include "compute/exec/ranks.h"
#include "compute/topology/grid_blocks.h"

#include <cstdint>
#include <span>
#include <vector>

// Grids whose planes across the first axis lie on several ranks, in their order.
namespace haloscope::compute::distributed {

struct Planes {
  std::uint64_t begin = 0, end = 0;

  std::uint64_t count() const { return end - begin; }
};

// Those of a rank: nearly as many as the others have, none where there are more ranks than planes.
// Of one or two planes rank 0 has both: across an end that is closed both are the neighbors of
// each.
Planes planes_of_rank(std::uint64_t planes, int rank, int size);

// The slab of each rank as a block of the grid.
class GridSlabs {
 public:
  // Throws Error where a slab with its rim is too large for a block.
  GridSlabs(const topology::GridShape& shape, int size);

  int size() const { return int(blocks_.size()); }
  const Planes& planes(int rank) const { return planes_[std::size_t(rank)]; }
  // Without cells where the rank has no planes.
  const topology::GridBlock& block(int rank) const { return blocks_[std::size_t(rank)]; }
  // Cells of the rim of a rank's block, and of all ranks before it.
  std::uint64_t rim(int rank) const;
  std::uint64_t rims_before(int rank) const;

  // What stands in the cells of this rank's rim, the plane before its own ones first, from what
  // stands in the first and in the last plane of each rank. All ranks call it.
  template <class T>
  std::vector<T> fetch_rim(Ranks& ranks, std::span<const T> first, std::span<const T> last) const {
    std::vector<T> rim_values(std::size_t(rim(ranks.rank())));
    fetch(ranks, first.data(), last.data(), rim_values.data(), sizeof(T));
    return rim_values;
  }

 private:
  void fetch(Ranks& ranks, const void* first, const void* last, void* rim_values,
             std::size_t bytes_of_one) const;
  int owner_of(std::uint64_t plane) const;

  topology::GridShape shape_;
  std::vector<Planes> planes_;
  std::vector<topology::GridBlock> blocks_;
};

// The planes of all ranks on the first one, in their order; `to` is of no account on the others.
// All ranks call it.
void gather_planes(Ranks& ranks, std::uint64_t planes, std::uint64_t bytes_of_plane,
                   const void* own, void* to);

}  // namespace haloscope::compute::distributed
