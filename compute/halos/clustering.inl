#pragma once

#include "compute/halos/clustering.h"
#include "compute/halos/union_find.h"
#include "compute/spatial/cell_grid.inl"
#include "core/error.h"

#include <chrono>

// DBSCAN over a grid of cells, for either executor.
namespace haloscope::compute::halos {

struct OwnSets {
  std::uint32_t* parent;
  HALOSCOPE_HD void operator()(std::size_t i) const { parent[i] = std::uint32_t(i); }
};

struct NoNames {
  std::uint32_t* smallest;
  HALOSCOPE_HD void operator()(std::size_t i) const { smallest[i] = kNoise; }
};

// Calls f(j) for every point that may be near point i, itself included; f returns false to stop.
template <class F>
HALOSCOPE_HD void for_candidates(const spatial::CellView& grid, std::uint32_t i, const F& f) {
  const auto points_of = [&](std::uint32_t cell) {
    const std::uint32_t end = grid.cell_start[cell + 1];
    for (std::uint32_t j = grid.cell_start[cell]; j < end; ++j)
      if (!f(j)) return false;
    return true;
  };
  if (grid.reach.gridded()) {
    grid.for_neighbors(grid.cell_of[i], points_of);
    return;
  }
  for (std::uint32_t cell = 0; cell < grid.cells; ++cell)
    if (!points_of(cell)) return;
}

struct FindCores {
  spatial::CellView grid;
  std::uint32_t min_points;
  std::uint8_t* core;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto i = std::uint32_t(k);
    // All points of a cell are near one another (the "dense box" of Prokopenko et al. 2023, §4.3).
    const std::uint32_t cell = grid.cell_of[i];
    std::uint32_t found = grid.cell_start[cell + 1] - grid.cell_start[cell];
    if (found < min_points) {
      const spatial::CellPoint p = grid.points[i];
      found = 0;
      for_candidates(grid, i, [&](std::uint32_t j) {
        found += grid.reach.near(p, grid.points[j]);
        return found < min_points;
      });
    }
    core[i] = found >= min_points;
  }
};

// Links the core points of a cell, which are one set, with those of its neighbors, each pair of
// cells once and until one pair of points is near. Cells already known to be of one set need no
// test, which in the middle of a halo are nearly all: nearest cells are linked first, so that the
// many pairs farther apart find that done.
struct LinkCells {
  spatial::CellView grid;
  UnionFind sets;            // of cells
  const std::uint8_t* core;  // null: all points are
  int range;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto cell = std::uint32_t(k);
    std::uint32_t root = atomic_load(sets.parent + cell);
    const auto link = [&](std::uint32_t other) {
      if (atomic_load(sets.parent + other) != root && any_near(cell, other))
        root = sets.unite(root, other);
    };
    if (grid.reach.gridded())
      grid.for_pairs(cell, range, link);
    else
      for (std::uint32_t other = cell + 1; other < grid.cells; ++other) link(other);
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

// An executor may have its own.
template <class Exec>
void link_cells(Exec& exec, const LinkCells& task) {
  parallel_for(exec, "linking", task.grid.cells, task);
}

// The core neighbor of a border point that has the smallest index in file order, or the point
// itself.
struct FindBorders {
  spatial::CellView grid;
  const std::uint8_t* core;
  std::uint32_t* border_of;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto i = std::uint32_t(k);
    std::uint32_t best = i;
    if (!core[i]) {
      const spatial::CellPoint p = grid.points[i];
      std::uint32_t smallest = ~0u;
      for_candidates(grid, i, [&](std::uint32_t j) {
        if (core[j]) {
          const spatial::CellPoint q = grid.points[j];
          if (q.index < smallest && grid.reach.near(p, q)) {
            smallest = q.index;
            best = j;
          }
        }
        return true;
      });
    }
    border_of[i] = best;
  }
};

// Smallest file index of each set, and whether it has more than one point.
struct NameSets {
  spatial::CellView grid;
  UnionFind sets;
  const std::uint8_t* core;
  std::uint32_t* smallest;  // by root; kNoise at first
  std::uint8_t* shared;     // by root; 0 at first
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto i = std::uint32_t(k);
    if (core && !core[i]) return;
    const std::uint32_t cell = grid.cell_of[i], root = sets.find(cell);
    atomic_minimum(smallest + root, grid.points[i].index);
    if (!core && (root != cell || grid.cell_start[cell + 1] - grid.cell_start[cell] > 1))
      atomic_store(shared + root, 1);
  }
};

struct WriteLabels {
  spatial::CellView grid;
  UnionFind sets;
  const std::uint8_t* core;
  const std::uint32_t* border_of;
  const std::uint32_t* smallest;
  const std::uint8_t* shared;
  std::uint32_t* labels;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    auto i = std::uint32_t(k);
    std::uint32_t label = kNoise;
    if (core) {
      if (!core[i]) i = border_of[i];
      if (core[i]) label = smallest[sets.find(grid.cell_of[i])];
    } else {
      const std::uint32_t root = sets.find(grid.cell_of[i]);
      if (shared[root]) label = smallest[root];
    }
    labels[grid.points[k].index] = label;
  }
};

template <class Exec>
class ClusteringOn : public Clustering {
 public:
  void set_points(const Domain& domain, const std::array<const std::uint32_t*, 3>& position,
                  std::uint64_t count) override {
    if (count >= kNoise)
      throw Error(std::to_string(count) + " points are more than can be labelled at once",
                  "halo finding", "choose fewer types or a region");
    domain_ = domain;
    count_ = std::uint32_t(count);
    for (std::size_t a = 0; a < 3; ++a) {
      position_[a] = Buffer<std::uint32_t, Exec>(exec_, count_, "positions");
      if (count_) exec_.upload(position_[a].data(), position[a], count_ * sizeof(std::uint32_t));
    }
    labels_ = Buffer<std::uint32_t, Exec>(exec_, count_, "labels");
    parallel_for(exec_, "labels", count_, NoNames{labels_.data()});
    exec_.synchronize();
  }

  void run(const ClusterSettings& settings, Timings& timings) override {
    if (!(settings.linking_length > 0) || !std::isfinite(settings.linking_length))
      throw Error("the linking length must be a positive number", "halo finding");
    if (settings.min_points < 2)
      throw Error("the minimum number of points must be at least 2", "halo finding");
    if (count_ == 0) return;
    Phases phases(exec_, timings);
    const auto grid = build(settings.linking_length / domain_.step(), phases);
    const spatial::CellView cells = spatial::view(grid);
    const bool all_core = settings.min_points == 2;

    Buffer<std::uint8_t, Exec> core(exec_, all_core ? 0 : count_, "core points");
    if (!all_core) {
      parallel_for(exec_, "core points", count_,
                   FindCores{cells, std::uint32_t(settings.min_points), core.data()});
      phases.end("core");
    }
    Buffer<std::uint32_t, Exec> parent(exec_, cells.cells, "sets");
    const UnionFind sets{parent.data()};
    parallel_for(exec_, "sets", cells.cells, OwnSets{parent.data()});
    for (int range = 1; range <= spatial::CellReach::kCells; ++range)
      link_cells(exec_, LinkCells{cells, sets, core.data(), range});
    phases.end("link");
    Buffer<std::uint32_t, Exec> border_of(exec_, all_core ? 0 : count_, "border points");
    if (!all_core) {
      parallel_for(exec_, "border points", count_,
                   FindBorders{cells, core.data(), border_of.data()});
      phases.end("border");
    }

    Buffer<std::uint32_t, Exec> smallest(exec_, cells.cells, "cluster names");
    Buffer<std::uint8_t, Exec> shared(exec_, all_core ? cells.cells : 0, "cluster sizes");
    parallel_for(exec_, "cluster names", cells.cells, NoNames{smallest.data()});
    if (all_core) exec_.zero(shared.data(), cells.cells);
    parallel_for(exec_, "cluster names", count_,
                 NameSets{cells, sets, core.data(), smallest.data(), shared.data()});
    parallel_for(exec_, "labels", count_,
                 WriteLabels{cells, sets, core.data(), border_of.data(), smallest.data(),
                             shared.data(), labels_.data()});
    phases.end("label");
  }

  std::vector<std::uint32_t> labels() const override {
    std::vector<std::uint32_t> out(count_);
    if (count_)
      const_cast<Exec&>(exec_).download(out.data(), labels_.data(), count_ * sizeof(out[0]));
    return out;
  }

 private:
  class Phases {
   public:
    Phases(Exec& exec, Timings& timings) : exec_(exec), timings_(timings) {
      exec_.synchronize();
      start_ = Clock::now();
    }
    void end(const char* name) {
      exec_.synchronize();
      const auto now = Clock::now();
      timings_.add(name, std::chrono::duration<double, std::milli>(now - start_).count());
      start_ = now;
    }

   private:
    using Clock = std::chrono::steady_clock;
    Exec& exec_;
    Timings& timings_;
    Clock::time_point start_;
  };

  spatial::CellGrid<Exec> build(double reach, Phases& phases) {
    spatial::CellGrid<Exec> grid;
    grid.points_count = count_;
    grid.reach = spatial::make_cell_reach(reach);
    // Without a grid every pair is looked at.
    constexpr std::uint32_t kMostWithoutGrid = 200000;
    if (!grid.reach.gridded() && count_ > kMostWithoutGrid)
      throw Error("the linking length is " + std::to_string(reach / 4294967296.0) +
                      " of the domain's side, too " + (reach > 1e6 ? "long" : "short") + " for " +
                      std::to_string(count_) + " points",
                  "halo finding", "lengths between 3e-5 and 0.2 of it work");
    const auto *x = position_[0].data(), *y = position_[1].data(), *z = position_[2].data();
    Buffer<std::uint64_t, Exec> keys(exec_, count_, "cell keys");
    Buffer<std::uint32_t, Exec> order(exec_, count_, "cell order");
    if (grid.reach.gridded())
      parallel_for(exec_, "cell keys", count_,
                   spatial::MakeCellKey{grid.reach, x, y, z, keys.data()});
    else
      thrust::sequence(exec_.policy(), keys.begin(), keys.end());  // each point its own cell
    thrust::sequence(exec_.policy(), order.begin(), order.end());
    phases.end("keys");
    if (grid.reach.gridded())
      thrust::stable_sort_by_key(exec_.policy(), keys.begin(), keys.end(), order.begin());
    phases.end("sort");
    grid.points = Buffer<spatial::CellPoint, Exec>(exec_, count_, "sorted points");
    grid.cell_of = Buffer<std::uint32_t, Exec>(exec_, count_, "cells");
    parallel_for(exec_, "cells", count_,
                 spatial::GatherPoint{x, y, z, order.data(), keys.data(), grid.points.data(),
                                      grid.cell_of.data()});
    thrust::inclusive_scan(exec_.policy(), grid.cell_of.begin(), grid.cell_of.end(),
                           grid.cell_of.begin());
    exec_.download(&grid.cells_count, grid.cell_of.data() + count_ - 1, sizeof(std::uint32_t));
    grid.cell_start = Buffer<std::uint32_t, Exec>(exec_, grid.cells_count + 1, "cells");
    grid.cell_key = Buffer<std::uint32_t, Exec>(exec_, grid.cells_count, "cells");
    grid.row_of = Buffer<std::uint32_t, Exec>(exec_, grid.cells_count, "cells");
    spatial::CellReach described = grid.reach;
    if (!described.gridded()) described.side = 1;
    parallel_for(
        exec_, "cells", count_,
        spatial::DescribeCells{described, keys.data(), grid.cell_of.data(), grid.cell_start.data(),
                               grid.cell_key.data(), grid.row_of.data(), count_});
    if (grid.reach.gridded()) {
      const std::uint32_t rows = grid.reach.side * grid.reach.side;
      // A few points in very many rows: a table would outgrow them.
      constexpr std::uint32_t kRowsPerPoint = 8, kFreeRows = 1 << 20;
      if (rows / kRowsPerPoint > count_ && rows > kFreeRows) {
        phases.end("build");
        return grid;
      }
      grid.row_start = Buffer<std::uint32_t, Exec>(exec_, std::size_t(rows) + 1, "rows");
      parallel_for(
          exec_, "rows", grid.cells_count,
          spatial::FillRows{grid.row_of.data(), grid.row_start.data(), rows, grid.cells_count});
    }
    phases.end("build");
    return grid;
  }

  mutable Exec exec_;
  Domain domain_;
  std::uint32_t count_ = 0;
  std::array<Buffer<std::uint32_t, Exec>, 3> position_;
  Buffer<std::uint32_t, Exec> labels_;
};

}  // namespace haloscope::compute::halos
