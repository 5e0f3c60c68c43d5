#include "compute/grids/grid_frame.h"

#include "core/error.h"

#include <fmt/format.h>

#include <cmath>

namespace haloscope::compute::grids {

GridFrame make_frame(const Domain& domain, const GridBox& box, bool beyond) {
  static constexpr const char* kAxes[] = {"x", "y", "z"};
  // Ends that were written in decimals may miss the side by their rounding.
  constexpr double kSame = 1e-9;
  constexpr double kSteps = 4294967296.;  // of the lattice, in the domain's side
  GridFrame frame;
  for (std::size_t a = 0; a < 3; ++a) {
    const double length = box.high[a] - box.low[a];
    if (!std::isfinite(box.low[a]) || !std::isfinite(length) || length <= 0)
      throw Error(fmt::format("the grid is empty along {}: {:.6g} to {:.6g}", kAxes[a], box.low[a],
                              box.high[a]),
                  "grid", "choose a larger region");
    if (box.cells[a] < 1 || box.cells[a] > GridFrame::kMostCells)
      throw Error(fmt::format("a grid of {} cells along {} cannot be made", box.cells[a], kAxes[a]),
                  "grid", fmt::format("choose 1 to {} cells", GridFrame::kMostCells));
    const bool whole = domain.periodic && std::fabs(length / domain.side - 1) < kSame;
    if (domain.periodic && !whole && !beyond && length > domain.side)
      throw Error(fmt::format("the grid is longer along {} than the periodic box: {:.6g} of {:.6g}",
                              kAxes[a], length, domain.side),
                  "grid", "choose a region inside the box");
    const double cells = box.cells[a];
    const double side_of_cell = (whole ? domain.side : length) / cells;
    frame.cells[a] = box.cells[a];
    frame.per_length[a] = 1 / side_of_cell;
    // Exact where the grid is the whole box of 2^k cells.
    frame.per_step[a] = whole ? cells / kSteps : cells / length * domain.step();
    frame.low[a] = (box.low[a] - domain.origin[a]) / domain.side * kSteps;
    if (domain.periodic) {
      frame.low[a] -= std::floor(frame.low[a] / kSteps) * kSteps;
      frame.period[a] = whole ? cells : domain.side / side_of_cell;
    }
    frame.edge[a] = whole ? Edge::Wrap : box.inside;
  }
  return frame;
}

}  // namespace haloscope::compute::grids
