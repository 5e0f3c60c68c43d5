#pragma once

#include "compute/brute_force/rows.h"
#include "compute/exec/device.h"
#include "core/progress.h"
#include "core/timings.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::brute_force {

// Neighbor i of row r stands at r · k + i, those of one row by (distance, row). Distances are
// rounded to float32 once (row_distance.h).
struct NeighborLists {
  std::uint32_t k = 0;
  std::vector<std::uint32_t> row;
  std::vector<float> distance;
};

// Finds the k nearest other rows of all rows, exactly, comparing all with all; the same on any
// device. Adds its milliseconds to `timings`, from rows on the device on. Throws Error unless
// 1 ≤ k < rows.count and k ≤ 512, for more than Rows::kMostDimensions dimensions, and where memory
// runs out; Cancelled.
NeighborLists find_nearest_rows(Device device, const Rows& rows, std::uint32_t k,
                                Progress& progress, Timings* timings = nullptr);

NeighborLists find_nearest_cpu_rows(const Rows& rows, std::uint32_t k, Progress& progress,
                                    Timings* timings);
NeighborLists find_nearest_cuda_rows(Device device, const Rows& rows, std::uint32_t k,
                                     Progress& progress, Timings* timings);

}  // namespace haloscope::compute::brute_force
