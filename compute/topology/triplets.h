#pragma once

#include "compute/exec/device.h"
#include "compute/topology/grid.h"
#include "compute/topology/tree_settings.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstdint>
#include <vector>

// Merge trees as triplets of cells.
namespace haloscope::compute::topology {

struct Branches;

// The tree as a triplet of each cell u: (u, saddle[u], top[u]) says that the branch that begins at
// u ends at saddle[u], where the one that begins at top[u] goes on. A cell that is no maximum is
// its own saddle; where a branch never ends both are u. kNoBranch: the cell is not looked at. They
// are normalized (each cell stands first once) and minimal (top[u] is the highest of the component
// at saddle[u]): Smirnov and Morozov 2020.
struct Triplets {
  std::vector<std::uint32_t> saddle, top;
  bool operator==(const Triplets&) const = default;
};

// Makes the triplets of a grid: all edges of the grid merge into them at once by compare-and-swap,
// then each is repaired to be minimal (Nigmetov and Morozov, Fast Merge Tree Computation via SYCL,
// algorithms 1 to 5). Takes 8 bytes a cell beside the order of the cells, and in the worst case a
// time that is quadratic. The result depends on grid and settings alone. Throws as
// MergeTree::grow().
Triplets make_triplets(Device device, const ScalarGrid& grid, const TreeSettings& settings,
                       Progress& progress, Timings* timings = nullptr);

// The branches that triplets tell of; they know no basins.
Branches branches_of(const Triplets& triplets, const ScalarGrid& grid, Levels levels);

Triplets make_cpu_triplets(const ScalarGrid& grid, const TreeSettings& settings, Progress& progress,
                           Timings* timings);
Triplets make_cuda_triplets(Device device, const ScalarGrid& grid, const TreeSettings& settings,
                            Progress& progress, Timings* timings);

}  // namespace haloscope::compute::topology
