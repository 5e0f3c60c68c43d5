#pragma once

#include "compute/exec/device.h"
#include "compute/exec/resident_labels.h"
#include "compute/topology/grid.h"
#include "compute/topology/ordered_bits.h"
#include "compute/topology/tree_settings.h"
#include "compute/topology/triplets.h"
#include "core/array.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

// Merge trees of grids: which peak joins which, where.
//
// Cells are swept from the highest value to the lowest, of equal values the one with the smaller
// index first, so that no two are at one level. A component appears at a maximum. At a saddle two
// or more components meet; the one with the highest maximum, the oldest, goes on, and the branches
// of the others end (the elder rule: Edelsbrunner, Letscher, Zomorodian 2002).
namespace haloscope::compute::topology {

// One branch for each maximum, from the highest maximum to the lowest. Cells are flat indices;
// values are ordered bits.
struct Branches {
  ValueKind kind = ValueKind::Real;
  LargeVector<std::uint64_t> maximum;       // the cell where it begins
  LargeVector<std::uint64_t> saddle;        // the cell where it ends; kNoCell: it never does
  LargeVector<std::uint32_t> parent;        // the branch that goes on there; kNoBranch
  LargeVector<std::uint32_t> across;        // the basin beyond the saddle, by its branch; kNoBranch
  LargeVector<std::uint64_t> birth, death;  // values there; death is 0 where it never ends

  std::size_t count() const { return maximum.size(); }
};

// Which branches are features and which are noise. Persistence is a branch's height, birth − death,
// or the ratio of the larger value to the smaller, infinite where that one is 0 or negative. A
// branch that never ends is infinitely persistent.
struct Simplification {
  enum class Measure { Difference, Ratio };
  Measure measure = Measure::Difference;
  double threshold = 0;     // what is less persistent is noise
  bool zero_pairs = false;  // else what begins and ends at one value is noise at any threshold
  bool operator==(const Simplification&) const = default;
};

// Two ways to share out the cells. Branch: a cell is of the oldest maximum in its component at its
// own level; a branch that is noise counts as a part of its parent. Watershed: a cell is of the
// maximum that steepest ascent leads to; a basin that is noise goes to the one across its saddle.
enum class Labeling { Branch, Watershed };

struct Segments {
  std::vector<std::uint32_t> label;   // of each cell; kNoBranch: it is not looked at
  std::vector<std::uint32_t> branch;  // of each segment, from the highest maximum to the lowest
};

// Segments where the device of their tree reads them, until it makes others or another tree.
struct SegmentsView {
  const std::uint32_t* label = nullptr;  // of each cell, as in Segments
  std::uint32_t count = 0;
};

// What is known of each segment of points.
struct SegmentLists {
  std::vector<std::uint32_t> branch;         // as in Segments
  std::vector<std::uint64_t> cells, points;  // how many
};

// These lists on a device. They never change, so that threads share them.
class ResidentSegmentLists {
 public:
  virtual ~ResidentSegmentLists() = default;
  // 20 bytes per segment. Of millions of segments the copy takes longer than labels and colors of
  // all points: the first touch of that memory takes the host's time.
  virtual SegmentLists download() const = 0;
};

// Segments of points: those of their cells.
struct PointSegments {
  std::shared_ptr<const ResidentLabels> labels;  // of each point; all bits set: in none
  std::uint32_t count = 0;                       // segments
  std::shared_ptr<const ResidentSegmentLists> lists;
};

// A merge tree on one device, which stays there.
class MergeTree {
 public:
  virtual ~MergeTree() = default;

  // Makes the tree of a grid from the steepest ascents of its cells and the contacts of their
  // basins. All that it tells depends on grid and settings alone, not on
  // device, blocks or threads. Adds the time of its phases to `timings`. Grids of more than
  // kMostCells are worked on in blocks of planes across the first axis (grid_blocks.h): the caller
  // keeps their values until the tree is gone or grown again, for they are read again for branches
  // of cells. Throws Error for a grid without cells, for values that are not numbers, for values of
  // 64 bits in blocks, and where memory runs out; then there is no tree. Throws Cancelled.
  virtual void grow(const ScalarGrid& grid, const TreeSettings& settings,
                    Timings* timings = nullptr) = 0;

  // The same of values that lie in the memory of the tree's device. Those of a grid that is not
  // worked on in blocks may go after it.
  virtual void grow_in_place(const GridShape& shape, const float* values,
                             const TreeSettings& settings, Timings* timings = nullptr) = 0;

  // Copies to the host; those of the branches are made when they are first asked for.
  virtual const Branches& branches() const = 0;
  virtual Triplets triplets() = 0;  // throws Error for more than kMostCells

  // As many segments as branches that are no noise. Throws Error for a threshold that is not a
  // number, and for a ratio below 1.
  virtual Segments segments(const Simplification& simplification, Labeling labeling) = 0;
  virtual SegmentsView segments_in_place(const Simplification& simplification,
                                         Labeling labeling) = 0;

  // Keeps where points are, 4 bytes each, for segment_points(): `cell` of each, kNoBranch where it
  // is in none. Throws Error for a cell that the grid does not have, for a grid of more than
  // kMostCells, and for 2³² − 1 points or more; then no points are kept.
  virtual void keep_points(std::span<const std::uint32_t> cell, Labeling labeling) = 0;
  // Segments of these points, which stay where they are as long as anybody keeps them. It takes
  // time by points, basins and segments, not by cells. Throws Error where no points are kept: not
  // since the tree was made.
  virtual PointSegments segment_points(const Simplification& simplification) = 0;

  // The most bytes that this process held at once on the tree's device until now, by whatever it
  // computed there; 0 on the CPU.
  virtual std::uint64_t peak_device_memory() const = 0;
};

// `progress` outlives it.
std::unique_ptr<MergeTree> make_merge_tree(Device device, Progress& progress);

std::unique_ptr<MergeTree> make_cpu_merge_tree(Progress& progress);
std::unique_ptr<MergeTree> make_cuda_merge_tree(Device device, Progress& progress);

// Throws Error unless it makes sense.
void require_simplification(const Simplification& simplification);

}  // namespace haloscope::compute::topology
