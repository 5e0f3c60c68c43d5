#pragma once

#include "analysis/topology/grid_tree.h"
#include "core/grid.h"
#include "core/vector.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::analysis {

// What a merge tree's segments are as structures: from the highest maximum to the lowest (of
// sublevels the other way round).
struct Structures {
  compute::topology::Simplification simplification;
  std::optional<double> peak_level;           // of halos and voids: each reaches it
  std::vector<std::uint32_t> branch;          // by structure, in the tree's list
  std::vector<std::uint32_t> parent;          // that it joins at its saddle; kNoBranch: none
  std::vector<std::uint64_t> cells;           // how many
  std::vector<double> sum;                    // of their values, without those that are not finite
  CellLabels by_branch, by_watershed;         // the second is empty where basins are not known
  SegmentKind kind = SegmentKind::Watershed;  // whose cells are counted, and particles labeled

  std::size_t count() const { return branch.size(); }
  const CellLabels& labels() const {
    return kind == SegmentKind::Branch ? by_branch : by_watershed;
  }
  std::uint64_t bytes() const;
};

compute::topology::Labeling labeling_of(SegmentKind kind);

// The same of a tree that labels particles where it is: without labels of cells, parents and sums.
// Not of halos, of which some peaks are left out.
Structures structures_of(const GridTree& tree, const PeaksOptions& options,
                         const compute::topology::SegmentLists& segments);

// Takes from a tree what the options ask. Throws OptionError where no peak is high enough, and
// Error. Of a tree over ranks all ranks call it, and get all but the labels, which are those of
// their own cells.
Structures find_structures(const GridTree& tree, const PeaksOptions& options);
// Brings the labels of all ranks to the first; the others give theirs up. All call it.
void gather_labels(const GridTree& tree, Structures& found);

// The middle of a cell, in the grid's lengths.
Vec middle_of(const Grid& grid, std::uint64_t cell);
double cell_volume(const Grid& grid);
// Of a sphere of the volume of so many cells.
double radius_of_cells(const Grid& grid, std::uint64_t cells);
// The cell that a point lies in, or a copy of it in a box of that period; 0: there are no copies.
std::optional<std::uint64_t> cell_at(const Grid& grid, double period, const Vec& point);

// Value at the peak, at the saddle where it ends (NaN: it never does), and their difference
// (infinite where it never ends).
double peak_value(const GridTree& tree, std::uint32_t branch);
double saddle_value(const GridTree& tree, std::uint32_t branch);
double persistence_of(const GridTree& tree, std::uint32_t branch);

}  // namespace haloscope::analysis
