#pragma once

#include "analysis/topology/field_statistics.h"
#include "analysis/topology/peaks_options.h"
#include "compute/distributed/slab_tree.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "compute/topology/merge_tree.h"
#include "compute/topology/persistence.h"
#include "core/grid.h"
#include "core/progress.h"
#include "core/timings.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

// The merge tree of a grid as the options ask it: all that analysis wants of compute/topology.
namespace haloscope::analysis {

// Labels of cells; compute::topology::kNoBranch: in none.
using CellLabels = std::vector<std::uint32_t>;

class GridTree {
 public:
  // `overdensity`: values are in units of the mean, which is 1 then. Throws OptionError, Error for
  // values that no tree can be made of and where memory does not suffice, and Cancelled. Over
  // several ranks `grid` has the values of this rank's planes (compute/distributed/grid_slabs.h)
  // and the cells of all; all ranks call it, with devices of one kind. Each has the whole tree
  // then, and the labels of its own cells. `ranks` outlives the tree.
  GridTree(Grid grid, bool overdensity, const PeaksOptions& options,
           const std::array<bool, 3>& periodic, compute::Device device, Progress& progress,
           compute::Ranks& ranks = compute::alone());

  compute::Ranks& ranks() const { return *ranks_; }
  // Brings the values of all ranks to the first, which has the whole grid then; the others give
  // theirs up. All ranks call it, when segments() is not asked for again.
  void gather_values();

  const Grid& grid() const { return grid_; }  // whose tree it is: after the logarithm
  // Of the grid; its mean is that before the logarithm, in which thresholds are counted.
  const FieldStatistics& statistics() const { return statistics_; }
  double mean() const { return mean_; }
  bool is_log() const { return options_.log; }
  // With whose tree it was made.
  const PeaksOptions& options() const { return options_; }
  compute::topology::Levels levels() const { return options_.levels; }
  const std::array<bool, 3>& periodic() const { return shape_.periodic; }
  // Below which cells are left out; of sublevels: above.
  const std::optional<double>& threshold() const { return threshold_; }
  const compute::topology::Branches& branches() const { return branches_; }
  std::uint64_t last() const { return last_; }  // the cell at which the sweep ends
  const Timings& timings() const { return timings_; }
  // Of the branch that lasts least, and of the one that lasts longest and ends; of none the first
  // is infinite.
  const std::array<double, 2>& persistences() const { return persistences_; }
  bool is_on_gpu() const { return device_.is_gpu(); }
  // The most bytes that this process held at once on the tree's device until now: of all ranks,
  // which call it together, the largest. 0 on processors.
  std::uint64_t device_memory_over_ranks() const;
  bool knows_basins() const { return tree_ != nullptr || slabs_ != nullptr || has_gathered_; }
  std::uint64_t bytes() const;

  // Segments that are no noise, and how cells are shared out among them. A tree of triplets knows
  // branches alone. May be called by several threads. Over ranks: of this rank's cells.
  compute::topology::Segments segments(const compute::topology::Simplification& simplification,
                                       compute::topology::Labeling labeling) const;
  // The same of points in given cells, where the tree is (compute/topology/merge_tree.h). Only of
  // trees that know basins.
  void keep_points(std::span<const std::uint32_t> cell, compute::topology::Labeling labeling) const;
  compute::topology::PointSegments segment_points(
      const compute::topology::Simplification& simplification) const;

  double value_of(std::uint64_t bits) const {
    return compute::topology::number_of(branches_.kind, bits);
  }

 private:
  void take_logarithm();
  double cells_on_machine() const;
  void measure_branches();
  void grow(compute::Device device, Progress& progress);
  void grow_over_ranks(const compute::topology::TreeSettings& settings, compute::Device device,
                       Progress& progress);
  compute::topology::ScalarGrid view() const;
  compute::topology::Segments segments_of_triplets(
      const compute::topology::Simplification& simplification) const;

  Grid grid_;
  PeaksOptions options_;
  FieldStatistics statistics_;
  double mean_ = 0;
  compute::topology::GridShape shape_;
  std::optional<double> threshold_;
  compute::topology::Branches branches_;
  compute::topology::Triplets triplets_;  // of PeaksMethod::Triplet
  std::array<double, 2> persistences_{};
  std::uint64_t last_ = 0;
  Timings timings_;
  // Outlives the tree; the search that made it is over long before.
  std::unique_ptr<Progress> progress_;
  std::unique_ptr<compute::topology::MergeTree> tree_;
  std::unique_ptr<compute::distributed::SlabTree> slabs_;  // in its place, over several ranks
  bool has_gathered_ = false;                              // which are no more then
  compute::Ranks* ranks_;
  compute::Device device_;
  mutable std::mutex use_;
};

// Throws OptionError where the host has no room for the grid and the tree of so many cells: of
// several ranks, all of which call it, for the parts of those on one machine.
void require_room_for_tree(const std::array<std::uint32_t, 3>& cells, const PeaksOptions& options,
                           compute::Device device, compute::Ranks& ranks = compute::alone());

// The level that an amount of the tree's field means, and what is persistent enough.
double level_of(const GridTree& tree, double times_mean);

// Throws OptionError where the options count in multiples of a mean that is not above 0, or in
// ratios of values below 0.
void require_multiples(const GridTree& tree, const PeaksOptions& options);
compute::topology::Simplification simplification_of(const GridTree& tree,
                                                    const PeaksOptions& options);

}  // namespace haloscope::analysis
