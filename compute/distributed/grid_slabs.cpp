#include "compute/distributed/grid_slabs.h"

#include <cstddef>

namespace haloscope::compute::distributed {

Planes planes_of_rank(std::uint64_t planes, int rank, int size) {
  if (planes <= 2) return rank == 0 ? Planes{0, planes} : Planes{planes, planes};
  return {part_begin(planes, rank, size), part_begin(planes, rank + 1, size)};
}

GridSlabs::GridSlabs(const topology::GridShape& shape, int size,
                     const topology::TreeSettings& settings)
    : shape_(shape) {
  for (int r = 0; r < size; ++r) {
    const Planes own = planes_of_rank(shape.cells[0], r, size);
    planes_.push_back(own);
    blocks_.emplace_back();
    if (own.count() > 0)
      blocks_.back() = topology::blocks_of_planes(shape, std::uint32_t(own.begin),
                                                  std::uint32_t(own.end), settings);
  }
}

bool GridSlabs::is_in_blocks() const {
  for (const auto& of_rank : blocks_)
    if (of_rank.size() > 1) return true;
  return false;
}

bool GridSlabs::has_beside(int rank, int side) const {
  const auto& own = blocks(rank);
  if (own.empty()) return false;
  return (side == 0 ? own.front() : own.back()).view.rim[side] > 0;
}

std::uint64_t GridSlabs::rim(int rank) const {
  std::uint64_t cells = 0;
  for (const topology::GridBlock& block : blocks(rank)) cells += block.view.count() - block.own();
  return cells;
}

std::uint64_t GridSlabs::rims_before(int rank) const {
  std::uint64_t cells = 0;
  for (int r = 0; r < rank; ++r) cells += rim(r);
  return cells;
}

int GridSlabs::owner_of(std::uint64_t plane) const {
  int rank = 0;
  while (plane < planes(rank).begin || plane >= planes(rank).end) ++rank;
  return rank;
}

void GridSlabs::list_beside(int rank, const std::array<const void*, 2>& ends,
                            const std::array<void*, 2>& beside, std::uint64_t bytes,
                            std::vector<Outgoing>& out, std::vector<Incoming>& in) const {
  for (int r = 0; r < size(); ++r)
    for (const int side : {0, 1}) {
      if (!has_beside(r, side)) continue;
      // The plane before is the last one of its owner, the plane behind the first one.
      const std::uint64_t planes_of_all = shape_.cells[0];
      const std::uint64_t plane = side == 0 ? (planes(r).begin + planes_of_all - 1) % planes_of_all
                                            : planes(r).end % planes_of_all;
      const int owner = owner_of(plane);
      if (owner == rank) out.push_back({r, ends[side == 0 ? 1 : 0], bytes});
      if (r == rank) in.push_back({owner, beside[std::size_t(side)], bytes});
    }
}

void gather_planes(Ranks& ranks, std::uint64_t planes, std::uint64_t bytes_of_plane,
                   const void* own, void* to) {
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  const std::uint64_t count = planes_of_rank(planes, ranks.rank(), ranks.size()).count();
  if (count > 0) out.push_back({0, own, count * bytes_of_plane});
  for (int r = 0; ranks.first() && r < ranks.size(); ++r) {
    const Planes those = planes_of_rank(planes, r, ranks.size());
    if (those.count() > 0)
      in.push_back({r, static_cast<std::byte*>(to) + those.begin * bytes_of_plane,
                    those.count() * bytes_of_plane});
  }
  ranks.move(out, in);
}

}  // namespace haloscope::compute::distributed
