#pragma once

#include "compute/exec/ranks.h"
#include "compute/topology/grid_blocks.h"

#include <array>
#include <cstddef>
#include <cstdint>
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

// The slab of each rank as blocks of the grid (compute/topology/grid_blocks.h): one where 32 bits
// number the cells of the slab and its rim, else several.
class GridSlabs {
 public:
  // Throws Error where planes are too large for blocks.
  GridSlabs(const topology::GridShape& shape, int size,
            const topology::TreeSettings& settings = {});

  int size() const { return int(planes_.size()); }
  const Planes& planes(int rank) const { return planes_[std::size_t(rank)]; }
  // None where the rank has no planes.
  const std::vector<topology::GridBlock>& blocks(int rank) const {
    return blocks_[std::size_t(rank)];
  }
  // Whether a slab is more than one block.
  bool is_in_blocks() const;
  std::uint64_t plane() const { return std::uint64_t(shape_.cells[1]) * shape_.cells[2]; }
  std::uint64_t first_cell(int rank) const { return planes(rank).begin * plane(); }
  std::uint64_t cells(int rank) const { return planes(rank).count() * plane(); }
  // Whether a slab has a plane beside it, at its begin (0) or end (1).
  bool has_beside(int rank, int side) const;
  // Cells of the rims of a rank's blocks, and of those of all ranks before it.
  std::uint64_t rim(int rank) const;
  std::uint64_t rims_before(int rank) const;

  // Brings what stands in the planes beside a slab from the ranks that have them: `first` and
  // `last` are a rank's own planes at the ends, `before` and `behind` where those beside it go.
  // Mover: Ranks, or DeviceRanks for memory of devices. All ranks call it.
  template <class Mover>
  void fetch_beside(Mover& mover, int rank, const void* first, const void* last, void* before,
                    void* behind, std::size_t bytes_of_one) const {
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    list_beside(rank, {first, last}, {before, behind}, plane() * bytes_of_one, out, in);
    mover.move(out, in);
  }

 private:
  void list_beside(int rank, const std::array<const void*, 2>& ends,
                   const std::array<void*, 2>& beside, std::uint64_t bytes,
                   std::vector<Outgoing>& out, std::vector<Incoming>& in) const;
  int owner_of(std::uint64_t plane) const;

  topology::GridShape shape_;
  std::vector<Planes> planes_;
  std::vector<std::vector<topology::GridBlock>> blocks_;
};

// The planes of all ranks on the first one, in their order; `to` is of no account on the others.
// All ranks call it.
void gather_planes(Ranks& ranks, std::uint64_t planes, std::uint64_t bytes_of_plane,
                   const void* own, void* to);

}  // namespace haloscope::compute::distributed
