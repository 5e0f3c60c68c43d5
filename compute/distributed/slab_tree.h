#pragma once

#include "compute/distributed/grid_slabs.h"
#include "compute/exec/device.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"
#include "compute/topology/merge_tree.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstdint>
#include <memory>

namespace haloscope::compute::distributed {

// The merge tree of a grid whose planes lie on several ranks (grid_slabs.h), each of which works on
// its own. Basins, their contacts and branches are known to all ranks in the end; labels of cells
// are where the cells are. All ranks call all functions together. What the tree tells is that of
// MergeTree, whatever the number of ranks.
class SlabTree {
 public:
  virtual ~SlabTree() = default;

  // `own`: the values of this rank's planes. Slabs whose cells 32 bits do not number are worked on
  // in blocks: the caller keeps their values until the tree is gone or grown again. Throws Error as
  // MergeTree::grow(), and for a grid of values of 64 bits with more than kMostCells or slabs in
  // blocks. Throws Cancelled.
  virtual void grow(const topology::GridShape& shape, const topology::GridValues& own,
                    const topology::TreeSettings& settings, Timings* timings = nullptr) = 0;
  // The same of values that lie in the memory of this rank's device.
  virtual void grow_in_place(const topology::GridShape& shape, const float* own,
                             const topology::TreeSettings& settings,
                             Timings* timings = nullptr) = 0;

  // Made when they are first asked for, which any rank may do by itself.
  virtual const topology::Branches& branches() = 0;

  // The labels of this rank's cells.
  virtual topology::Segments segments(const topology::Simplification& simplification,
                                      topology::Labeling labeling) = 0;

  // What went from device to device, and how.
  virtual const DeviceRanks& wire() const = 0;
  // As MergeTree has it.
  virtual std::uint64_t peak_device_memory() const = 0;
};

// `ranks` and `progress` outlive it. All ranks call it, with devices of one kind; several may have
// one GPU.
std::unique_ptr<SlabTree> make_cpu_slab_tree(Ranks& ranks, Progress& progress);
std::unique_ptr<SlabTree> make_cuda_slab_tree(Ranks& ranks, Device device, Progress& progress,
                                              Wire wire = Wire::Auto);

inline std::unique_ptr<SlabTree> make_slab_tree(Ranks& ranks, Device device, Progress& progress,
                                                Wire wire = Wire::Auto) {
  return device.is_gpu() ? make_cuda_slab_tree(ranks, device, progress, wire)
                         : make_cpu_slab_tree(ranks, progress);
}

}  // namespace haloscope::compute::distributed
