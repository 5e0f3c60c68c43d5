#include "compute/clusters/nearest_lists_cpu.h"
#include "compute/distributed/part_search.inl"
#include "compute/exec/cpu.h"

namespace haloscope::compute::distributed {

std::unique_ptr<PartSearch> make_cpu_part_search(const PartOfPoints& part, int min_samples,
                                                 Progress& progress, Timings& timings) {
  return made_part_search<Cpu>(part, min_samples, progress, timings, progress);
}

std::unique_ptr<PartSearch> make_part_search(const PartOfPoints& part, int min_samples,
                                             Device device, Progress& progress, Timings& timings) {
  return device.is_gpu() ? make_cuda_part_search(part, min_samples, device, progress, timings)
                         : make_cpu_part_search(part, min_samples, progress, timings);
}

std::vector<std::uint32_t> cpu_curve_order(const clusters::LatticePoints& points) {
  Cpu exec;
  const std::size_t dimensions = points.column.size();
  if (dimensions <= 3) return curve_order<3>(exec, points);
  if (dimensions <= 6) return curve_order<6>(exec, points);
  return curve_order<8>(exec, points);
}

}  // namespace haloscope::compute::distributed
