#include "compute/brute_force/nearest_rows.inl"
#include "compute/brute_force/row_search_cpu.h"

namespace haloscope::compute::brute_force {

NeighborLists find_nearest_cpu_rows(const Rows& rows, std::uint32_t k, Progress& progress,
                                    Timings* timings) {
  Cpu exec(progress);
  return nearest_rows_on(exec, rows, k, progress, timings);
}

}  // namespace haloscope::compute::brute_force
