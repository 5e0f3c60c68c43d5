#pragma once

#include "compute/distributed/grid_slabs.h"
#include "compute/exec/ranks.h"
#include "compute/topology/merge_tree.h"
#include "core/progress.h"
#include "core/timings.h"

#include <memory>

namespace haloscope::compute::distributed {

// The merge tree of a grid whose planes lie on several ranks (grid_slabs.h), each of which works on
// its own. Basins, their contacts and branches are known to all ranks in the end; labels of cells
// are where the cells are. All ranks call all functions together. What the tree tells is that of
// MergeTree, whatever the number of ranks.
class SlabTree {
 public:
  virtual ~SlabTree() = default;

  // `own`: the values of this rank's planes. Throws Error as MergeTree::grow(), and for a grid of
  // values of 64 bits with more than kMostCells. Throws Cancelled.
  virtual void grow(const topology::GridShape& shape, const topology::GridValues& own,
                    const topology::TreeSettings& settings, Timings* timings = nullptr) = 0;

  virtual const topology::Branches& branches() const = 0;

  // The labels of this rank's cells.
  virtual topology::Segments segments(const topology::Simplification& simplification,
                                      topology::Labeling labeling) = 0;
};

// On the processor. `ranks` and `progress` outlive it.
std::unique_ptr<SlabTree> make_cpu_slab_tree(Ranks& ranks, Progress& progress);

}  // namespace haloscope::compute::distributed
