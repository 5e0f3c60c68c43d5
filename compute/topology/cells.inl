#pragma once

#include "compute/hierarchy/dendrogram.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>
#include <utility>

// Walks over cells and their neighbors, for either executor.
namespace haloscope::compute::topology {

using hierarchy::kNone;

struct Cell {
  std::uint32_t index;
  std::uint32_t at[3];
};

// A grid, or a block of one (grid_blocks.h).
struct GridView {
  std::uint32_t cells[3];
  bool periodic[3];
  std::uint32_t stride[3];  // 0 of an axis of one cell, where all steps stay
  // Planes at the two ends of the first axis that are those of other blocks.
  std::uint32_t rim[2] = {0, 0};
  // Planes there whose cells have neighbors that are missing, or out of the order of indices.
  std::uint32_t outer[2] = {1, 1};

  HALOSCOPE_HD std::uint32_t count() const { return cells[0] * cells[1] * cells[2]; }
  HALOSCOPE_HD Cell cell(std::uint32_t index) const {
    const std::uint32_t row = index / cells[2];
    return {index, {row / cells[1], row % cells[1], index % cells[2]}};
  }
  HALOSCOPE_HD void advance(Cell& cell) const {
    ++cell.index;
    if (++cell.at[2] < cells[2]) return;
    cell.at[2] = 0;
    if (++cell.at[1] < cells[1]) return;
    cell.at[1] = 0;
    ++cell.at[0];
  }
  // Whether no plane across an axis that a cell lies in is an outer one.
  HALOSCOPE_HD bool is_inner_along(int axis, std::uint32_t at) const {
    if (axis == 0) return at >= outer[0] && at + outer[1] < cells[0];
    return at > 0 && at + 1 < cells[axis];
  }
  HALOSCOPE_HD bool is_inner(const Cell& cell) const {
    bool inner = true;
    for (int axis = 0; axis < 3; ++axis)
      inner = inner && (stride[axis] == 0 || is_inner_along(axis, cell.at[axis]));
    return inner;
  }
  HALOSCOPE_HD std::uint32_t plane() const { return cells[1] * cells[2]; }
  HALOSCOPE_HD bool is_rim(std::uint32_t first_axis) const {
    return first_axis < rim[0] || first_axis + rim[1] >= cells[0];
  }
  // Goes by −1, 0 or 1 along an axis. False: nothing is there.
  HALOSCOPE_HD bool step(int axis, int by, std::uint32_t& at) const {
    const bool out = by < 0 ? at == 0 : by > 0 && at + 1 == cells[axis];
    if (out && !periodic[axis]) return false;
    if (out)
      at = by < 0 ? cells[axis] - 1 : 0;
    else
      at += std::uint32_t(by);
    return true;
  }
};

// Whether an offset leads to one of C neighbors.
template <int C>
HALOSCOPE_HD constexpr bool is_neighbor(int x, int y, int z) {
  const int axes = (x != 0) + (y != 0) + (z != 0);
  if (C == 14) return axes > 0 && ((x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0));
  return axes > 0 && axes <= (C == 6 ? 1 : C == 18 ? 2 : 3);
}

// The neighbors of inner cells are numbered from 0 to 26.
using NeighborNumbers = std::make_integer_sequence<int, 27>;

HALOSCOPE_HD constexpr int offset_of(int number, int axis) {
  return (axis == 0 ? number / 9 : axis == 1 ? number / 3 % 3 : number % 3) - 1;
}

HALOSCOPE_HD inline std::uint32_t inner_neighbor(const GridView& grid, std::uint32_t v,
                                                 int number) {
  for (int axis = 0; axis < 3; ++axis)
    v += std::uint32_t(offset_of(number, axis)) * grid.stride[axis];
  return v;
}

// Calls f(index, number).
template <int C, class F, int... I>
HALOSCOPE_HD void for_inner_neighbors(const GridView& grid, std::uint32_t v, const F& f,
                                      std::integer_sequence<int, I...>) {
  ((is_neighbor<C>(offset_of(I, 0), offset_of(I, 1), offset_of(I, 2))
        ? f(inner_neighbor(grid, v, I), I)
        : void()),
   ...);
}

// Calls f(index, number) for the neighbors of any cell. On an axis of one or two cells some are
// called several times, and a cell for its own neighbor: who looks for higher ones does not mind.
template <int C, class F>
HALOSCOPE_HD void for_outer_neighbors(const GridView& grid, const Cell& cell, const F& f) {
  for (int number = 0; number < 27; ++number) {
    const int x = offset_of(number, 0), y = offset_of(number, 1), z = offset_of(number, 2);
    if (!is_neighbor<C>(x, y, z)) continue;
    std::uint32_t at[3] = {cell.at[0], cell.at[1], cell.at[2]};
    if (grid.step(0, x, at[0]) && grid.step(1, y, at[1]) && grid.step(2, z, at[2]))
      f((at[0] * grid.cells[1] + at[1]) * grid.cells[2] + at[2], number);
  }
}

template <int C, class F>
HALOSCOPE_HD void for_neighbors(const GridView& grid, const Cell& cell, const F& f) {
  if (!grid.is_inner(cell)) return for_outer_neighbors<C>(grid, cell, f);
  for_inner_neighbors<C>(grid, cell.index, f, NeighborNumbers());
}

// Some cells one after another, so that places need no division.
template <class F>
struct CellStretch {
  GridView grid;
  std::uint32_t begin, end, length;
  F f;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t from = begin + std::uint32_t(i) * length;
    Cell cell = grid.cell(from);
    for (std::uint32_t left = end - from < length ? end - from : length; left > 0; --left) {
      f(cell);
      grid.advance(cell);
    }
  }
};

// Calls f(cell) for the cells from begin to end; a thread each on a GPU.
template <class Exec, class F>
void for_cells(Exec& exec, const char* name, const GridView& grid, std::uint32_t begin,
               std::uint32_t end, const F& f) {
  constexpr std::uint32_t kLength = Exec::is_cuda ? 1 : 64;
  parallel_for(exec, name, (std::size_t(end) - begin + kLength - 1) / kLength,
               CellStretch<F>{grid, begin, end, kLength, f});
}

template <class Exec, class F>
void for_cells(Exec& exec, const char* name, const GridView& grid, const F& f) {
  for_cells(exec, name, grid, 0, grid.count(), f);
}

// The order in which cells are swept: by key, ascending, and of one key by index. Keys of
// superlevels fall where values rise.
struct SweepView {
  const std::uint32_t* key;
  // Where the order of indices begins: in a block whose rim lies across a periodic end, the planes
  // do not lie in their order in the grid.
  std::uint32_t begin = 0;

  HALOSCOPE_HD bool before(std::uint32_t a, std::uint32_t b) const {
    return key[a] < key[b] || (key[a] == key[b] && a - begin < b - begin);
  }
  // A cell's place in the order as one number, and the cell of one.
  HALOSCOPE_HD std::uint64_t moment(std::uint32_t v) const {
    return std::uint64_t(key[v]) << 32 | (v - begin);
  }
  HALOSCOPE_HD std::uint32_t cell_of(std::uint64_t moment) const {
    return std::uint32_t(moment) + begin;
  }
};

}  // namespace haloscope::compute::topology
