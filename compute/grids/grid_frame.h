#pragma once

#include "core/domain.h"
#include "core/host_device.h"

#include <array>
#include <cstdint>

namespace haloscope::compute::grids {

// What a grid does at the two ends of an axis.
enum class Edge : std::uint8_t {
  Wrap,  // the axis is the whole period: the last cell lies beside the first
  Cut,   // the grid is a part of more: what falls beyond is not in it
  Keep   // nothing lies beyond: the shares of cells beyond stay in the cell at the end
};

// Where a grid lies in the lattice of a domain. A place u on an axis, in cells, lies in cell i for
// i <= u < i + 1, so that what lies on a border belongs to the cell above it.
struct GridFrame {
  // On each axis; the whole grid has at most 2⁴⁰.
  static constexpr std::uint32_t kMostCells = 65536;

  std::uint32_t cells[3] = {1, 1, 1};
  double low[3] = {0, 0, 0};         // where cell 0 begins, in steps of the lattice
  double per_step[3] = {1, 1, 1};    // cells in one step
  double per_length[3] = {1, 1, 1};  // cells in one world length
  double period[3] = {0, 0, 0};      // cells in the domain's side; 0: it is not periodic
  Edge edge[3] = {Edge::Cut, Edge::Cut, Edge::Cut};

  HALOSCOPE_HD std::uint64_t count() const { return std::uint64_t(cells[0]) * cells[1] * cells[2]; }
  // Of the grid in C's order: the first axis is the slowest.
  HALOSCOPE_HD std::uint64_t at(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    return (x * cells[1] + y) * cells[2] + z;
  }

  // The place of a lattice coordinate, in a periodic domain in [0, period].
  HALOSCOPE_HD double place(int axis, std::uint32_t fixed) const {
    const double u = (double(fixed) - low[axis]) * per_step[axis];
    return period[axis] > 0 && u < 0 ? u + period[axis] : u;
  }

  // Copies of a periodic domain that a grid cut out of it can see, from `first` to `last`, each a
  // period further.
  HALOSCOPE_HD int first_image(int axis) const {
    return edge[axis] == Edge::Cut && period[axis] > 0 ? -1 : 0;
  }
  HALOSCOPE_HD int last_image(int axis) const {
    return first_image(axis) < 0 ? int(double(cells[axis]) / period[axis]) + 1 : 0;
  }

  // The cell that gets the share of cell `i`, which may lie beyond the ends. False: none does.
  HALOSCOPE_HD bool cell(int axis, std::int64_t i, std::uint64_t& cell) const {
    const auto n = std::int64_t(cells[axis]);
    if (i < 0 || i >= n) {
      if (edge[axis] == Edge::Cut) return false;
      if (edge[axis] == Edge::Keep)
        i = i < 0 ? 0 : n - 1;
      else
        i = (i % n + n) % n;
    }
    cell = std::uint64_t(i);
    return true;
  }
};

// A box of the world and how it is divided. An axis as long as the side of a periodic domain wraps;
// `inside` is the edge of all others.
struct GridBox {
  std::array<double, 3> low{}, high{};
  std::array<std::uint32_t, 3> cells{};
  Edge inside = Edge::Cut;
};

// Throws Error for axes without cells or with too many, and for a box that is empty, not finite, or
// (unless `beyond`) longer than a periodic domain.
GridFrame make_frame(const Domain& domain, const GridBox& box, bool beyond = false);

}  // namespace haloscope::compute::grids
