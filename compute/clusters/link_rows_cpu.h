#pragma once

#include "compute/clusters/grid_dbscan.inl"
#include "compute/exec/cpu.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <array>

// The linking of cells for the CPU. The plain version searches each neighboring row anew for each
// cell. Here the cells of a row are gone through together with those of the rows around it, so that
// memory is read in order, and candidates are gathered without branches: in all but the middle of
// halos a row has a cell or two, and a processor cannot foretell which of them are neighbors.
namespace haloscope::compute::clusters {

class LinkRows {
 public:
  explicit LinkRows(const LinkCells& task) : task_(task), grid_(task.grid) {}

  void operator()(std::uint32_t row) const {
    const std::uint32_t begin = grid_.row_start[row], end = grid_.row_start[row + 1];
    if (begin == end) return;
    Around around;
    look_around(row, around);
    for (std::uint32_t cell = begin; cell < end; ++cell) {
      std::uint32_t root = task_.sets.find(cell);
      const auto link = [&](std::uint32_t other) {
        const std::uint32_t parent = atomic_load(task_.sets.parent + other);
        if (parent != root && task_.sets.find(parent) != root && task_.any_near(cell, other))
          root = task_.sets.unite(root, other);
      };
      const std::uint32_t x = grid_.cell_key[cell];
      if (x < kReach || x + kReach >= grid_.reach.side) {
        grid_.for_pairs(cell, int(kReach), link);
        continue;
      }
      std::array<std::uint32_t, kPairs + 1> others;
      const std::uint32_t count = gather(cell, end, around, others.data());
      for (std::uint32_t k = 0; k < count; ++k) link(others[k]);
    }
  }

 private:
  static constexpr std::uint32_t kReach = spatial::CellReach::kCells, kSide = 2 * kReach + 1;
  static constexpr std::uint32_t kPairs = kSide * kSide * kSide / 2;  // of one cell, each once

  struct Run {
    std::uint32_t begin, end;
  };
  // The rows after this one and no farther than kReach: neighboring ones together where they have
  // few cells, else one by one, beginning with the first cell that is not too far to the left.
  struct Around {
    static constexpr std::uint32_t kFew = 48;
    static constexpr std::size_t kMost = kSide * kSide / 2;
    std::array<Run, kMost> together, single;
    std::uint32_t together_count = 0, single_count = 0;
  };

  void look_around(std::uint32_t row, Around& around) const {
    const std::uint32_t side = grid_.reach.side, y = row % side, z = row / side;
    add_rows(z * side, y + 1, y + kReach, around);
    for (std::uint32_t dz = 1; dz <= kReach; ++dz)
      add_rows(grid_.shifted(z, int(dz)) * side, y + side - kReach, y + side + kReach, around);
  }

  // The rows first … last of a plane, around the edge.
  void add_rows(std::uint32_t plane, std::uint32_t first, std::uint32_t last,
                Around& around) const {
    const std::uint32_t side = grid_.reach.side;
    const std::uint32_t low = first % side, high = last % side;
    if (low <= high) return add_run(plane + low, plane + high, around);
    add_run(plane + low, plane + side - 1, around);
    add_run(plane, plane + high, around);
  }

  void add_run(std::uint32_t first_row, std::uint32_t last_row, Around& around) const {
    const std::uint32_t begin = grid_.row_start[first_row], end = grid_.row_start[last_row + 1];
    if (begin == end) return;
    if (end - begin <= Around::kFew) {
      around.together[around.together_count++] = {begin, end};
      return;
    }
    for (std::uint32_t row = first_row; row <= last_row; ++row) {
      const Run run{grid_.row_start[row], grid_.row_start[row + 1]};
      if (run.begin < run.end) around.single[around.single_count++] = run;
    }
  }

  // The cells that may hold points near those of `cell`; returns how many.
  std::uint32_t gather(std::uint32_t cell, std::uint32_t row_end, Around& around,
                       std::uint32_t* others) const {
    const std::uint16_t* const key = grid_.cell_key;
    const std::uint32_t low = key[cell] - kReach, high = key[cell] + kReach;
    std::uint32_t count = 0;
    for (std::uint32_t k = cell + 1; k < row_end && key[k] <= high; ++k) others[count++] = k;
    for (std::uint32_t r = 0; r < around.together_count; ++r)
      for (std::uint32_t k = around.together[r].begin; k < around.together[r].end; ++k) {
        others[count] = k;
        count += key[k] - low <= high - low;
      }
    for (std::uint32_t r = 0; r < around.single_count; ++r) {
      Run& run = around.single[r];
      while (run.begin < run.end && key[run.begin] < low) ++run.begin;
      for (std::uint32_t k = run.begin; k < run.end && key[k] <= high; ++k) others[count++] = k;
    }
    return count;
  }

  const LinkCells& task_;
  const spatial::CellView& grid_;
};

inline void link_cells(Cpu& exec, const LinkCells& task) {
  if (!task.grid.row_start) return link_cells<Cpu>(exec, task);
  const LinkRows link(task);
  ::tbb::parallel_for(
      ::tbb::blocked_range<std::uint32_t>(0, task.grid.reach.side * task.grid.reach.side, 1024),
      [&](const ::tbb::blocked_range<std::uint32_t>& range) {
        for (std::uint32_t row = range.begin(); row != range.end(); ++row) link(row);
      });
}

}  // namespace haloscope::compute::clusters
