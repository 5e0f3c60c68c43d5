#pragma once

#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "compute/grids/density_grid.h"
#include "compute/grids/smoothing.h"
#include "core/progress.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// So many particles are sent at once, of all ranks together, for all may go to one rank: 24 bytes
// for each copy here, and 48 where it arrives.
inline constexpr std::uint64_t kDepositedAtOnce = std::uint64_t(1) << 20;

// The grid of the particles of all ranks: the values of this rank's planes (grid_slabs.h), with the
// bits of grids::make_density_grid(). Counts and the total are those of all ranks. `points`: this
// rank's particles, of the same types in the same order on all ranks, wherever they lie; their
// columns, and the request are those of the whole grid. All ranks call it. Throws as
// make_density_grid(), but asks for no memory beforehand: the device's holds 8 bytes for each of
// this rank's cells (16 for a mean, and 4 more where it is not smoothed), the host's 4, or 16 where
// the grid is smoothed, and 4 more for a mean. Particles go from rank to rank through host memory.
grids::DensityGrid make_cpu_density_slabs(Ranks& ranks, const grids::GridRequest& request,
                                          const std::vector<grids::GridPoints>& points,
                                          Progress& progress, std::uint64_t at_once);
grids::DensityGrid make_cuda_density_slabs(Ranks& ranks, Device device,
                                           const grids::GridRequest& request,
                                           const std::vector<grids::GridPoints>& points,
                                           Progress& progress, std::uint64_t at_once);

inline grids::DensityGrid make_density_slabs(Ranks& ranks, Device device,
                                             const grids::GridRequest& request,
                                             const std::vector<grids::GridPoints>& points,
                                             Progress& progress,
                                             std::uint64_t at_once = kDepositedAtOnce) {
  grids::check_smoothing(request.smoothing, request.frame.cells);
  return device.is_gpu()
             ? make_cuda_density_slabs(ranks, device, request, points, progress, at_once)
             : make_cpu_density_slabs(ranks, request, points, progress, at_once);
}

}  // namespace haloscope::compute::distributed
