#include "analysis/topology/particle_cells.h"

#include "compute/grids/grid_frame.h"

#include <tbb/parallel_for.h>

#include <cmath>

namespace haloscope::analysis {

namespace grids = compute::grids;

std::vector<std::uint32_t> cells_of_particles(const Grid& grid, const Domain& domain,
                                              const ParticleColumns& columns, bool all_inside) {
  grids::GridBox box;
  box.inside = all_inside ? grids::Edge::Keep : grids::Edge::Cut;
  for (std::size_t a = 0; a < 3; ++a) {
    box.low[a] = grid.low[a];
    box.high[a] = grid.low[a] + grid.spacing[a] * double(grid.cells[a]);
    box.cells[a] = std::uint32_t(grid.cells[a]);
  }
  const grids::GridFrame frame = grids::make_frame(domain, box, true);
  std::vector<std::uint32_t> cells(std::size_t(columns.count), Labels::kNone);
  tbb::parallel_for(std::size_t(0), cells.size(), [&](std::size_t i) {
    std::uint64_t at[3];
    for (int a = 0; a < 3; ++a) {
      const double place = frame.place(a, columns.position[std::size_t(a)][i]);
      if (!frame.cell(a, std::int64_t(std::floor(place)), at[a])) return;
    }
    cells[i] = std::uint32_t(frame.at(at[0], at[1], at[2]));
  });
  return cells;
}

}  // namespace haloscope::analysis
