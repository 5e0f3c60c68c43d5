#include "compute/brute_force/nearest_rows.h"

#include "compute/brute_force/row_search.h"
#include "core/error.h"

#include <fmt/format.h>

namespace haloscope::compute::brute_force {

NeighborLists find_nearest_rows(Device device, const Rows& rows, std::uint32_t k,
                                Progress& progress, Timings* timings) {
  constexpr const char* kWhat = "nearest rows";
  if (k < 1 || k >= rows.count || k > NearestRows::kMost)
    throw Error(fmt::format("a row of {} can have 1 to {} neighbors here, and fewer than there are "
                            "rows, not {}",
                            rows.count, NearestRows::kMost, k),
                kWhat);
  if (rows.dimensions < 1 || rows.dimensions > Rows::kMostDimensions)
    throw Error(fmt::format("rows have 1 to {} dimensions here, not {}", Rows::kMostDimensions,
                            rows.dimensions),
                kWhat);
  return device.is_gpu() ? find_nearest_cuda_rows(device, rows, k, progress, timings)
                         : find_nearest_cpu_rows(rows, k, progress, timings);
}

}  // namespace haloscope::compute::brute_force
