#pragma once

#include "compute/exec/ranks.h"
#include "compute/grids/density_grid.h"
#include "core/progress.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// So many particles are sent at once, of all ranks together, for all may go to one rank: 24 bytes
// for each copy here, and 48 where it arrives.
inline constexpr std::uint64_t kDepositedAtOnce = std::uint64_t(1) << 20;

// The grid of the particles of all ranks, by processors: the values of this rank's planes
// (grid_slabs.h), with the bits of grids::make_density_grid(). Counts and the total are those of
// all ranks. `points`: this rank's particles, of the same types in the same order on all ranks,
// wherever they lie; the request is that of the whole grid. All ranks call it. Throws as
// make_density_grid(): memory holds 8 bytes for each of this rank's cells (16 for a mean), and 16
// more where the grid is smoothed.
grids::DensityGrid make_density_slabs(Ranks& ranks, const grids::GridRequest& request,
                                      const std::vector<grids::GridPoints>& points,
                                      Progress& progress, std::uint64_t at_once = kDepositedAtOnce);

}  // namespace haloscope::compute::distributed
