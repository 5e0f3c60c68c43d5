#pragma once

#include "compute/exec/sort.h"
#include "compute/spatial/points_view.h"
#include "core/host_device.h"

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

// Points sorted into cells of side ε/√3, so small that any two points of a cell are within ε. Only
// cells that hold points exist; a table of rows (all cells of one y and z) finds neighbors, of
// which a row holds few. No tree and no hash table.
namespace haloscope::compute::spatial {

// One 16-byte load.
struct alignas(16) CellPoint {
  std::uint32_t x, y, z;
  std::uint32_t index;  // of its row
};

// The largest distance of a search, in lattice steps, and the lattice of cells made for it.
struct CellReach {
  static constexpr int kCells = 2;  // neighbors lie at most so many cells away

  std::uint64_t squared;  // largest squared distance
  std::uint32_t side;     // cells per side of the domain; 0: too few for a grid
  HALOSCOPE_HD bool gridded() const { return side != 0; }

  HALOSCOPE_HD std::uint32_t cell(std::uint32_t v) const {
    return std::uint32_t((std::uint64_t(v) * side) >> 32);
  }
  HALOSCOPE_HD std::uint64_t key(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return (std::uint64_t(cell(z)) * side + cell(y)) * side + cell(x);
  }
  HALOSCOPE_HD std::uint32_t row(const CellPoint& p) const { return cell(p.z) * side + cell(p.y); }
  HALOSCOPE_HD bool same_cell(const CellPoint& a, const CellPoint& b) const {
    return cell(a.x) == cell(b.x) && cell(a.y) == cell(b.y) && cell(a.z) == cell(b.z);
  }
  // How many of a key's lowest bits are used.
  int key_bits() const {
    const std::uint64_t rows = std::uint64_t(side) * side;
    return int(std::bit_width(rows * side));
  }
  // Exact, and the same on both executors.
  HALOSCOPE_HD bool near(const CellPoint& a, const CellPoint& b) const {
    const auto dx = std::int64_t(std::int32_t(a.x - b.x));
    const auto dy = std::int64_t(std::int32_t(a.y - b.y));
    const auto dz = std::int64_t(std::int32_t(a.z - b.z));
    // At most 3 · 2⁶², which an unsigned word holds.
    return std::uint64_t(dx * dx) + std::uint64_t(dy * dy) + std::uint64_t(dz * dz) <= squared;
  }
};

// For a distance `reach` in lattice steps.
inline CellReach make_cell_reach(double reach) {
  CellReach r{};
  const double squared = std::floor(reach * reach);
  r.squared = squared >= 18446744073709549568.0 ? ~std::uint64_t(0) : std::uint64_t(squared);
  // A hair more cells than the bound asks for: integer cells differ by one lattice step in width.
  const double side = std::ceil(4294967296.0 * std::sqrt(3.0) / (reach - 2));
  // Rows are counted in 32 bits, and the cells of one in 16. Two cells away and no farther needs a
  // side of at least ε/2, and five different cells around the box; few and large cells need no
  // grid.
  constexpr double kMost = 65535, kFewest = 8;
  if (reach > 4 && side >= kFewest && side <= kMost) r.side = std::uint32_t(side);
  return r;
}

template <class Exec>
struct CellGrid {
  CellReach reach;
  std::uint32_t points_count = 0, cells_count = 0;
  Buffer<CellPoint, Exec> points;          // by cell
  Buffer<std::uint32_t, Exec> cell_of;     // of each point
  Buffer<std::uint32_t, Exec> cell_start;  // of each cell in `points`, and the end
  Buffer<std::uint16_t, Exec> cell_key;    // x of the cell in its row
  // Rows are z · side + y. One of these is empty: of the second, a few points in very many rows.
  Buffer<std::uint32_t, Exec> row_of;     // of each cell
  Buffer<std::uint32_t, Exec> row_start;  // of each row in the cells, and the end
};

struct MakeCellKey {
  CellReach reach;
  Positions position;
  std::uint64_t* key;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const FixedPoint p = position.at(i);
    key[i] = reach.key(p.x, p.y, p.z);
  }
};

// Point i with the row that stands for it in results.
HALOSCOPE_HD inline CellPoint cell_point(const PointsView& points, std::size_t i) {
  const FixedPoint p = points.at(i);
  return {p.x, p.y, p.z, points.row(i)};
}

struct GatherPoint {
  PointsView from;
  const std::uint32_t* order;
  const std::uint64_t* key;
  CellPoint* points;
  std::uint32_t* is_first;  // of its cell
  HALOSCOPE_HD void operator()(std::size_t k) const {
    points[k] = cell_point(from, order[k]);
    is_first[k] = k == 0 || key[k] != key[k - 1];
  }
};

struct DescribeCells {
  CellReach reach;
  const CellPoint* points;
  std::uint32_t* cell_of;  // in: the number of cells begun up to here; out: the cell
  std::uint32_t* cell_start;
  std::uint16_t* cell_key;
  std::uint32_t* row_of;
  std::uint32_t count;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t cell = --cell_of[k];
    const CellPoint p = points[k];
    if (k == 0 || !reach.same_cell(p, points[k - 1])) {
      cell_start[cell] = std::uint32_t(k);
      cell_key[cell] = std::uint16_t(reach.cell(p.x));
      row_of[cell] = reach.row(p);
    }
    if (k + 1 == count) cell_start[cell + 1] = count;
  }
};

// A thread fills so many rows without cells at each end of a gap; the others are for FillLongGaps.
constexpr std::uint32_t kFilledByOne = 512;

struct FillRows {
  const std::uint32_t* row_of;
  std::uint32_t* row_start;
  std::uint32_t rows, cells;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    fill(c == 0 ? 0 : row_of[c - 1] + 1, row_of[c] + 1, std::uint32_t(c));
    if (c + 1 == cells) fill(row_of[c] + 1, rows + 1, cells);
  }

 private:
  HALOSCOPE_HD void fill(std::uint32_t first, std::uint32_t end, std::uint32_t cell) const {
    const bool is_long = end - first > 2 * kFilledByOne;
    for (std::uint32_t r = first; r < (is_long ? first + kFilledByOne : end); ++r)
      row_start[r] = cell;
    if (!is_long) return;
    for (std::uint32_t r = end - kFilledByOne; r < end; ++r) row_start[r] = cell;
  }
};

// Stretches of kFilledByOne rows that lie within a gap: a part of space without points has hundreds
// of millions of rows, which are no work for one thread.
struct FillLongGaps {
  const std::uint32_t* row_of;
  std::uint32_t* row_start;
  std::uint32_t rows, cells;

  static std::size_t stretches(std::uint32_t rows) { return std::size_t(rows) / kFilledByOne + 1; }
  HALOSCOPE_HD void operator()(std::size_t stretch) const {
    const auto first = std::uint32_t(stretch * kFilledByOne);
    const std::uint32_t end = rows - first < kFilledByOne ? rows + 1 : first + kFilledByOne;
    std::uint32_t cell = 0, behind = cells;
    while (cell < behind) {
      const std::uint32_t middle = cell + (behind - cell) / 2;
      if (row_of[middle] < first)
        cell = middle + 1;
      else
        behind = middle;
    }
    if (cell < cells && row_of[cell] + 1 < end) return;
    for (std::uint32_t r = first; r < end; ++r) row_start[r] = cell;
  }
};

// What a search walks over.
struct CellView {
  CellReach reach;
  const CellPoint* points;
  const std::uint32_t *cell_of, *cell_start;
  const std::uint16_t* cell_key;
  const std::uint32_t* row_of;     // null: a cell's first point tells its row
  const std::uint32_t* row_start;  // null: rows are searched for
  std::uint32_t cells;

  HALOSCOPE_HD std::uint32_t row(std::uint32_t cell) const {
    return row_of ? row_of[cell] : reach.row(points[cell_start[cell]]);
  }

  HALOSCOPE_HD std::uint32_t shifted(std::uint32_t v, int by) const {
    const auto s = std::int64_t(v) + by;
    return std::uint32_t(s < 0 ? s + reach.side : (s >= reach.side ? s - reach.side : s));
  }

  // First cell of a row or, where the row is empty, of those after it.
  HALOSCOPE_HD std::uint32_t row_begin(std::uint32_t row) const {
    if (row_start) return row_start[row];
    std::uint32_t begin = 0, end = cells;
    while (begin < end) {
      const std::uint32_t middle = begin + (end - begin) / 2;
      if (row_of[middle] < row)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }

  // Calls f(cell) for the cells of a row from x = low to high, not around the edge; f returns false
  // to stop. Returns false when stopped.
  template <class F>
  HALOSCOPE_HD bool walk(std::uint32_t begin, std::uint32_t end, std::uint32_t low,
                         std::uint32_t high, const F& f) const {
    std::uint32_t last = end;
    while (begin < last) {
      const std::uint32_t middle = begin + (last - begin) / 2;
      if (cell_key[middle] < low)
        begin = middle + 1;
      else
        last = middle;
    }
    for (; begin < end && cell_key[begin] <= high; ++begin)
      if (!f(begin)) return false;
    return true;
  }

  // The same around the edge, for x − before … x + after.
  template <class F>
  HALOSCOPE_HD bool walk_row(std::uint32_t row, std::uint32_t x, std::uint32_t before,
                             std::uint32_t after, const F& f) const {
    const std::uint32_t begin = row_begin(row), end = row_begin(row + 1);
    if (begin == end) return true;
    if (x < before)
      return walk(begin, end, 0, x + after, f) &&
             walk(begin, end, x + reach.side - before, reach.side - 1, f);
    if (x + after >= reach.side)
      return walk(begin, end, x - before, reach.side - 1, f) &&
             walk(begin, end, 0, x + after - reach.side, f);
    return walk(begin, end, x - before, x + after, f);
  }

  // Calls f(other) for every cell that may hold points near those of `cell`, itself included.
  template <class F>
  HALOSCOPE_HD bool for_neighbors(std::uint32_t cell, const F& f) const {
    const std::uint32_t x = cell_key[cell], row = this->row(cell);
    const std::uint32_t y = row % reach.side, z = row / reach.side;
    constexpr int k = CellReach::kCells;
    for (int dz = -k; dz <= k; ++dz)
      for (int dy = -k; dy <= k; ++dy)
        if (!walk_row(shifted(z, dz) * reach.side + shifted(y, dy), x, k, k, f)) return false;
    return true;
  }

  // The same, each pair of different cells once, no more than `range` cells away along any axis.
  template <class F>
  HALOSCOPE_HD void for_pairs(std::uint32_t cell, int range, const F& f) const {
    const std::uint32_t x = cell_key[cell], row = this->row(cell);
    const std::uint32_t y = row % reach.side, z = row / reach.side;
    const auto r = std::uint32_t(range);
    const auto all = [&](std::uint32_t other) {
      if (other != cell) f(other);
      return true;
    };
    walk_row(row, x, 0, r, all);
    for (int dz = 0; dz <= range; ++dz)
      for (int dy = dz == 0 ? 1 : -range; dy <= range; ++dy)
        walk_row(shifted(z, dz) * reach.side + shifted(y, dy), x, r, r, all);
  }
};

template <class Exec>
CellView view(const CellGrid<Exec>& g) {
  return {g.reach,           g.points.data(), g.cell_of.data(),   g.cell_start.data(),
          g.cell_key.data(), g.row_of.data(), g.row_start.data(), g.cells_count};
}

}  // namespace haloscope::compute::spatial
