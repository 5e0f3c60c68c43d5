#include "compute/brute_force/nearest_rows.inl"
#include "compute/brute_force/row_search.cuh"

namespace haloscope::compute::brute_force {

NeighborLists find_nearest_cuda_rows(Device device, const Rows& rows, std::uint32_t k,
                                     Progress& progress, Timings* timings) {
  Cuda exec(device);
  return nearest_rows_on(exec, rows, k, progress, timings);
}

}  // namespace haloscope::compute::brute_force
