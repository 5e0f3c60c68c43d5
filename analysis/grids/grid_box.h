#pragma once

#include "analysis/grids/grid_command.h"
#include "compute/exec/ranks.h"
#include "compute/grids/grid_frame.h"
#include "core/particles.h"
#include "core/snapshot_info.h"
#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>

namespace haloscope::analysis {

// Where a grid lies, in the file's lengths, with cells around it that its smoothing needs.
struct PlacedBox {
  std::array<double, 3> low{}, high{};  // without margins
  std::array<std::uint32_t, 3> cells{};
  std::array<std::uint64_t, 3> margin{};  // cells at both ends, which are cut off in the end
  std::array<double, 3> smoothing{};      // σ in cells
  std::array<bool, 3> wraps{};            // whole axes of the periodic box
  compute::grids::Edge edge = compute::grids::Edge::Cut;  // of the other axes

  double side_of_cell(std::size_t axis) const {
    return (high[axis] - low[axis]) / double(cells[axis]);
  }
  compute::grids::GridFrame frame(const Domain& domain) const;
};

// Of the region that was chosen, of the whole periodic box, or around all particles: those of all
// ranks, which call it together. Throws Error
// for regions that hold nothing or are longer than the box, and for smoothing that is wider than
// the grid.
PlacedBox grid_box(const SnapshotInfo& info, const ParticleSet& particles, const GridChoice& choice,
                   compute::Ranks& ranks = compute::alone());

// The region whose particles share in the cells of the one that was chosen.
io::Region region_around(const SnapshotInfo& info, const GridChoice& choice);

}  // namespace haloscope::analysis
