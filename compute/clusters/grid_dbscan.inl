#pragma once

#include "compute/clusters/dbscan_steps.inl"

// DBSCAN over a grid of cells whose points are near one another: no tree, and a union per pair of
// cells.
namespace haloscope::compute::clusters {

struct GridIndex {
  spatial::CellView grid;
  spatial::CellReach reach;
  const spatial::CellPoint* points;

  // All points of a cell are near one another (the "dense box" of Prokopenko et al. 2023, §4.3).
  HALOSCOPE_HD std::uint32_t together(std::uint32_t i) const {
    const std::uint32_t cell = grid.cell_of[i];
    return grid.cell_start[cell + 1] - grid.cell_start[cell];
  }
  template <class F>
  HALOSCOPE_HD void for_candidates(std::uint32_t i, const F& f) const {
    grid.for_neighbors(grid.cell_of[i], [&](std::uint32_t cell) {
      const std::uint32_t end = grid.cell_start[cell + 1];
      for (std::uint32_t j = grid.cell_start[cell]; j < end; ++j)
        if (!f(j)) return false;
      return true;
    });
  }
};

// Links the core points of a cell, which are one set, with those of its neighbors no more than
// `range` cells away, each pair of cells once and until one pair of points is near. Cells already
// known to be of one set need no test.
struct LinkCells {
  spatial::CellView grid;
  UnionFind sets;            // of cells
  const std::uint8_t* core;  // null: all points are
  int range = spatial::CellReach::kCells;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto cell = std::uint32_t(k);
    std::uint32_t root = atomic_load(sets.parent + cell);
    grid.for_pairs(cell, range, [&](std::uint32_t other) {
      if (atomic_load(sets.parent + other) != root && any_near(cell, other))
        root = sets.unite(root, other);
    });
  }

  HALOSCOPE_HD bool any_near(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t a_end = grid.cell_start[a + 1], b_end = grid.cell_start[b + 1];
    for (std::uint32_t i = grid.cell_start[a]; i < a_end; ++i) {
      if (core && !core[i]) continue;
      const spatial::CellPoint p = grid.points[i];
      for (std::uint32_t j = grid.cell_start[b]; j < b_end; ++j)
        if ((!core || core[j]) && grid.reach.near(p, grid.points[j])) return true;
    }
    return false;
  }
};

// Nearest cells first, so that in the middle of a halo the many pairs farther apart find
// themselves in one set. An executor may have its own.
template <class Exec>
void link_cells(Exec& exec, LinkCells task) {
  for (task.range = 1; task.range <= spatial::CellReach::kCells; ++task.range)
    parallel_for(exec, "linking", task.grid.cells, task);
}

template <class Exec>
class GridSearch {
 public:
  // `reach` in lattice steps, one for which there is a grid.
  GridSearch(Exec& exec, spatial::PlacedPoints<Exec>& from, double reach,
             std::uint32_t /*min_points*/, Phases<Exec>& phases) {
    grid_.points_count = from.count();
    grid_.reach = spatial::make_cell_reach(reach);
    sort(exec, from, phases);
    describe_rows(exec);
  }

  GridIndex index() const { return {spatial::view(grid_), grid_.reach, grid_.points.data()}; }
  Members members() const { return {index_of(grid_.points), grid_.cell_of.data()}; }
  std::uint32_t* room_for_borders() { return grid_.cell_of.data(); }
  std::uint32_t sets_count() const { return grid_.cells_count; }
  Buffer<spatial::CellPoint, Exec> take_points() { return std::move(grid_.points); }
  // Nobody searches any more: index() ends, members() go on.
  void forget_index() {
    grid_.cell_start = {};
    grid_.cell_key = {};
    grid_.row_of = {};
    grid_.row_start = {};
  }

  void link(Exec& exec, const UnionFind& sets, const std::uint8_t* core) const {
    link_cells(exec, LinkCells{spatial::view(grid_), sets, core});
  }

 private:
  void sort(Exec& exec, spatial::PlacedPoints<Exec>& from, Phases<Exec>& phases) {
    phases.begin("keys");
    const std::uint32_t count = from.count();
    Buffer<std::uint64_t, Exec> keys(exec, count, "cell keys");
    Buffer<std::uint32_t, Exec> order(exec, count, "cell order");
    parallel_for(exec, "cell keys", count,
                 spatial::MakeCellKey{grid_.reach, from.view().position, keys.data()});
    thrust::sequence(exec.policy(), order.begin(), order.end());
    phases.begin("sort");
    sort_pairs(exec, keys, order, grid_.reach.key_bits());
    phases.begin("build");
    grid_.points = Buffer<spatial::CellPoint, Exec>(exec, count, "sorted points");
    grid_.cell_of = Buffer<std::uint32_t, Exec>(exec, count, "cells");
    parallel_for(exec, "cells", count,
                 spatial::GatherPoint{from.view(), order.data(), keys.data(), grid_.points.data(),
                                      grid_.cell_of.data()});
    // Cells take the memory of these.
    order = {};
    keys = {};
    from.free();
    thrust::inclusive_scan(exec.policy(), grid_.cell_of.begin(), grid_.cell_of.end(),
                           grid_.cell_of.begin());
    exec.download(&grid_.cells_count, grid_.cell_of.data() + count - 1, sizeof(std::uint32_t));
    grid_.cell_start = Buffer<std::uint32_t, Exec>(exec, grid_.cells_count + 1, "cells");
    grid_.cell_key = Buffer<std::uint16_t, Exec>(exec, grid_.cells_count, "cells");
    grid_.row_of = Buffer<std::uint32_t, Exec>(exec, grid_.cells_count, "cells");
    parallel_for(exec, "cells", count,
                 spatial::DescribeCells{grid_.reach, grid_.points.data(), grid_.cell_of.data(),
                                        grid_.cell_start.data(), grid_.cell_key.data(),
                                        grid_.row_of.data(), count});
  }

  void describe_rows(Exec& exec) {
    const std::uint32_t rows = grid_.reach.side * grid_.reach.side;
    // A few points in very many rows: a table would outgrow them.
    constexpr std::uint32_t kRowsPerPoint = 2, kFreeRows = 1 << 20;
    if (rows / kRowsPerPoint > grid_.points_count && rows > kFreeRows) return;
    grid_.row_start = Buffer<std::uint32_t, Exec>(exec, std::size_t(rows) + 1, "rows");
    parallel_for(
        exec, "rows", grid_.cells_count,
        spatial::FillRows{grid_.row_of.data(), grid_.row_start.data(), rows, grid_.cells_count});
    parallel_for(exec, "rows", spatial::FillLongGaps::stretches(rows),
                 spatial::FillLongGaps{grid_.row_of.data(), grid_.row_start.data(), rows,
                                       grid_.cells_count});
    grid_.row_of = {};
  }

  spatial::CellGrid<Exec> grid_;
};

}  // namespace haloscope::compute::clusters
