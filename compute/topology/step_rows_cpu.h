#pragma once

#include "compute/exec/cpu.h"
#include "compute/topology/basins.inl"

#include <cstddef>
#include <cstdint>
#include <vector>

// Steps up from all cells, for the CPU. In the plain version each cell compares itself with its
// neighbors one after another; here the cells of a row do so side by side, in vectors. Pieces of
// links of up to 18 neighbors are told by a table.
namespace haloscope::compute::topology {

inline constexpr std::uint32_t kRowStretch = 128;

// A stretch of a row of which all cells are inner ones.
struct InnerStretch {
  const std::uint32_t* key;  // of its first cell
  std::uint32_t first;       // that cell
  std::uint32_t count;       // up to kRowStretch
  std::ptrdiff_t stride[2];  // of the first two axes
};

// For each cell of a stretch the neighbor that is swept first, or the cell itself, and its upper
// link in short_bit() bits. C neighbors.
void look_around(int neighbors, const InnerStretch& stretch, std::uint32_t* up,
                 std::uint32_t* link);

// Only the upper links, in the bits of upper_links.inl.
void upper_links(int neighbors, const InnerStretch& stretch, std::uint32_t* link);

// Which links are in pieces for C neighbors, a bit of each link. Made once, which takes 20 ms for
// 6 and 18 neighbors.
template <int C>
const std::vector<std::uint32_t>& link_table() {
  static const std::vector<std::uint32_t> table = [] {
    constexpr int L = kLinkOf<C>;
    std::vector<std::uint32_t> bits((std::size_t(1) << L) / 32);
    for (std::uint32_t link = 0; link >> L == 0; ++link)
      if (is_apart<C>(link_of_short<L>(link))) bits[link / 32] |= 1u << link % 32;
    return bits;
  }();
  return table;
}

template <int C>
class RowSteps {
 public:
  RowSteps(const GridView& grid, const SweepView& sweep, const AscentsView& ascents)
      : grid_(grid), ascents_(ascents), plain_{grid, sweep, ascents} {
    if constexpr (kHasTable) table_ = link_table<C>().data();
  }

  static std::uint32_t stretches_of_row(const GridView& grid) {
    return (grid.cells[2] - 1) / kRowStretch + 1;
  }

  // Of one stretch of a row.
  void operator()(std::size_t i) const {
    const std::uint32_t in_row = stretches_of_row(grid_), length = grid_.cells[2];
    const std::uint32_t begin = std::uint32_t(i % in_row) * kRowStretch;
    const std::uint32_t left = length - begin, count = left < kRowStretch ? left : kRowStretch;
    Cell cell = grid_.cell(std::uint32_t(i / in_row) * length + begin);
    bool is_inner = true;
    for (int axis = 0; axis < 2; ++axis)
      is_inner = is_inner && grid_.is_inner_along(axis, cell.at[axis]);
    if (!is_inner) return step_plain(cell, count);
    const std::uint32_t skipped = begin == 0 ? 1 : 0, is_last = count == left ? 1 : 0;
    if (skipped) step_plain(cell, 1);
    if (skipped + is_last < count) step(cell.index + skipped, count - skipped - is_last);
    if (!is_last || count <= skipped) return;
    cell.index += count - 1;
    cell.at[2] += count - 1;
    step_plain(cell, 1);
  }

 private:
  static constexpr bool kHasTable = kLinkOf<C> <= 18;

  // Cells at the ends of axes, one after another.
  void step_plain(Cell cell, std::uint32_t count) const {
    for (; count > 0; --count) {
      plain_(cell);
      grid_.advance(cell);
    }
  }

  void step(std::uint32_t first, std::uint32_t count) const {
    std::uint32_t up[kRowStretch], link[kRowStretch];
    look_around(C,
                {plain_.sweep.key + first,
                 first,
                 count,
                 {std::ptrdiff_t(grid_.stride[0]), std::ptrdiff_t(grid_.stride[1])}},
                up, link);
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t v = first + k;
      if (!ascents_.all && ascents_.up[v] == kNone) continue;
      ascents_.up[v] = up[k];
      if (up[k] == v)
        ascents_.maxima.add(v);
      else if (is_in_pieces(link[k]))
        ascents_.saddles.add(v);
    }
  }

  bool is_in_pieces(std::uint32_t link) const {
    if constexpr (kHasTable)
      return table_[link / 32] >> link % 32 & 1;
    else
      return is_apart<C>(link_of_short<kLinkOf<C>>(link));
  }

  GridView grid_;
  AscentsView ascents_;
  StepUp<C> plain_;
  const std::uint32_t* table_ = nullptr;
};

template <int C>
void step_up(Cpu& exec, const GridView& grid, const SweepView& sweep, const AscentsView& ascents) {
  if (grid.stride[0] == 0 || grid.stride[1] == 0 || grid.cells[2] <= 2)
    return for_cells(exec, "ascents", grid, StepUp<C>{grid, sweep, ascents});
  const std::size_t rows = std::size_t(grid.cells[0]) * grid.cells[1];
  parallel_for(exec, "ascents", rows * RowSteps<C>::stretches_of_row(grid),
               RowSteps<C>(grid, sweep, ascents));
}

}  // namespace haloscope::compute::topology
