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

// Which links of L neighbors are in pieces for C, a bit of each link.
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

  // Of the row that begins at a cell, by its places on the first two axes.
  void operator()(std::size_t row) const {
    const std::uint32_t length = grid_.cells[2];
    Cell cell = grid_.cell(std::uint32_t(row) * length);
    Cell second = cell;
    second.at[2] = 1;
    const bool is_inner =
        length > 2 && grid_.stride[0] != 0 && grid_.stride[1] != 0 && grid_.is_inner(second);
    for (std::uint32_t z = 0; z < length;) {
      const bool is_end = z == 0 || z + 1 == length;
      if (!is_inner || is_end) {
        plain_(cell);
        ++z;
        ++cell.index;
        ++cell.at[2];
        continue;
      }
      const std::uint32_t left = length - 1 - z, count = left < kRowStretch ? left : kRowStretch;
      step(cell.index, count);
      z += count;
      cell.index += count;
      cell.at[2] += count;
    }
  }

 private:
  static constexpr bool kHasTable = kLinkOf<C> <= 18;

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
  parallel_for(exec, "ascents", std::size_t(grid.cells[0]) * grid.cells[1],
               RowSteps<C>(grid, sweep, ascents));
}

}  // namespace haloscope::compute::topology
