#include "compute/clusters/nearest_lists_cpu.h"
#include "compute/distributed/curve_order.inl"
#include "compute/distributed/part_search.inl"
#include "compute/exec/cpu.h"

namespace haloscope::compute::distributed {

std::unique_ptr<PartSearch> make_cpu_part_search(const PartOfPoints& part,
                                                 const PartSearchSettings& settings, Ranks& ranks,
                                                 DeviceRanks& wire, Progress& progress,
                                                 Timings& timings) {
  return made_part_search<Cpu>(part, settings, ranks, wire, progress, timings, progress);
}

std::unique_ptr<PartSearch> make_part_search(const PartOfPoints& part,
                                             const PartSearchSettings& settings, Device device,
                                             Ranks& ranks, DeviceRanks& wire, Progress& progress,
                                             Timings& timings) {
  return device.is_gpu()
             ? make_cuda_part_search(part, settings, device, ranks, wire, progress, timings)
             : make_cpu_part_search(part, settings, ranks, wire, progress, timings);
}

std::vector<std::uint32_t> curve_order(const clusters::LatticePoints& points, Device device) {
  std::vector<std::uint32_t> order;
  if (device.is_gpu()) order = cuda_curve_order(points, device);
  if (!order.empty()) return order;
  Cpu exec;
  return curve_order_on(exec, points);
}

}  // namespace haloscope::compute::distributed
