#pragma once

#include "analysis/topology/found_peaks.h"
#include "compute/splotch/settings.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// One layer of the cells of a grid, across an axis.
struct GridPlane {
  std::size_t axis = 2;                      // across which it lies: 0 is x
  double position = 0;                       // on it, in the grid's lengths
  std::string length_unit;                   // of these; empty: not known
  std::array<std::uint64_t, 2> cells{1, 1};  // along the other two axes, x before y before z
  // Of these, where the first cell begins, and the side of a cell.
  std::array<double, 2> low{0, 0}, spacing{1, 1};
  double period = 0;          // of the particles' box; 0: it is not periodic
  std::vector<float> values;  // the second of the axes is the fastest
  std::string name, unit;     // of the values

  // The cell that a point of the plane lies in, or a copy of it in a periodic box; none: beside the
  // grid.
  std::optional<std::size_t> cell_at(const std::array<double, 2>& point) const;
};

// The layer of cells in which `position` lies, in the grid's lengths; none: beside the grid. Copies
// one plane of the grid's values, rounded to float32.
std::optional<GridPlane> take_plane(const FoundPeaks& found, std::size_t axis, double position);

// The scale and the limits that show a tree's grid: logarithmic where no value is below 0, and from
// the value below which a tenth of the cells are to the one that a thousandth exceed. So walls and
// filaments have most of the colors, and neither the noise of voids nor a few halos. Of logarithms
// only the values above 0 count. Of large grids a million cells are looked at, in even steps.
compute::splotch::Ranging grid_color(const GridTree& tree);

}  // namespace haloscope::analysis
