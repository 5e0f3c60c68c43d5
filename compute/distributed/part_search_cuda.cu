#include "compute/clusters/foreign_neighbors.cuh"
#include "compute/clusters/nearest_lists.cuh"
#include "compute/distributed/curve_order.inl"
#include "compute/distributed/part_search.inl"
#include "compute/exec/cuda.h"

namespace haloscope::compute::distributed {

std::unique_ptr<PartSearch> make_cuda_part_search(const PartOfPoints& part,
                                                  const PartSearchSettings& settings, Device device,
                                                  Ranks& ranks, DeviceRanks& wire,
                                                  Progress& progress, Timings& timings) {
  return made_part_search<Cuda>(part, settings, ranks, wire, progress, timings, device);
}

std::vector<std::uint32_t> cuda_curve_order(const clusters::LatticePoints& points, Device device) {
  // Codes and places, twice while they are sorted, and what the sort takes besides.
  constexpr std::uint64_t kSortedBytes = 32;
  Cuda exec(device);
  if (exec.free_memory() < points.count * (4 * points.column.size() + kSortedBytes)) return {};
  return curve_order_on(exec, points);
}

}  // namespace haloscope::compute::distributed
