#include "compute/distributed/grid_slabs.h"

#include "core/error.h"

#include <fmt/format.h>

#include <cstddef>

namespace haloscope::compute::distributed {

namespace {

topology::GridBlock no_cells(const topology::GridShape& shape, std::uint64_t plane) {
  topology::GridBlock block;
  block.view.cells[0] = 0;
  block.view.cells[1] = shape.cells[1];
  block.view.cells[2] = shape.cells[2];
  for (int axis = 0; axis < 3; ++axis) {
    block.view.periodic[axis] = false;
    block.view.stride[axis] = 0;
  }
  block.first = plane * shape.cells[1] * shape.cells[2];
  block.cells = shape.count();
  return block;
}

}  // namespace

Planes planes_of_rank(std::uint64_t planes, int rank, int size) {
  if (planes <= 2) return rank == 0 ? Planes{0, planes} : Planes{planes, planes};
  return {part_begin(planes, rank, size), part_begin(planes, rank + 1, size)};
}

GridSlabs::GridSlabs(const topology::GridShape& shape, int size) : shape_(shape) {
  const double plane = double(shape.cells[1]) * shape.cells[2];
  for (int r = 0; r < size; ++r) {
    const Planes own = planes_of_rank(shape.cells[0], r, size);
    planes_.push_back(own);
    const bool is_part = own.count() > 0 && own.count() < shape.cells[0];
    // With the rim: at most one plane at each end.
    if (double(own.count() + (is_part ? 2 : 0)) * plane > double(topology::kMostCells))
      throw Error(fmt::format("{} planes of {} × {} cells and those beside them are more than a "
                              "rank can look at together ({} cells)",
                              own.count(), shape.cells[1], shape.cells[2], topology::kMostCells),
                  "grid", "start more ranks, or choose a coarser grid");
    const auto begin = std::uint32_t(own.begin), end = std::uint32_t(own.end);
    if (own.count() == 0)
      blocks_.push_back(no_cells(shape, own.begin));
    else if (own.count() == shape.cells[0])
      blocks_.push_back(topology::whole_grid(shape));
    else
      blocks_.push_back(topology::block_of_planes(shape, begin, end));
  }
}

std::uint64_t GridSlabs::rim(int rank) const {
  const topology::GridView& view = block(rank).view;
  return (std::uint64_t(view.rim[0]) + view.rim[1]) * view.plane();
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

void GridSlabs::fetch(Ranks& ranks, const void* first, const void* last, void* rim_values,
                      std::size_t bytes_of_one) const {
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  const std::uint64_t bytes = block(0).view.plane() * bytes_of_one;
  auto* to = static_cast<std::byte*>(rim_values);
  for (int r = 0; r < size(); ++r)
    for (const int side : {0, 1}) {
      if (block(r).view.rim[side] == 0) continue;
      // The plane before is the last one of its owner, the plane behind the first one.
      const std::uint64_t planes_of_all = shape_.cells[0];
      const std::uint64_t plane = side == 0 ? (planes(r).begin + planes_of_all - 1) % planes_of_all
                                            : planes(r).end % planes_of_all;
      const int owner = owner_of(plane);
      if (owner == ranks.rank()) out.push_back({r, side == 0 ? last : first, bytes});
      if (r != ranks.rank()) continue;
      in.push_back({owner, to, bytes});
      to += bytes;
    }
  ranks.move(out, in);
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
