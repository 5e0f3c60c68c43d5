#include "compute/clusters/nearest_lists_cpu.h"
#include "compute/distributed/part_search.inl"
#include "compute/exec/cpu.h"

namespace haloscope::compute::distributed {

clusters::LatticePoints PartOfPoints::view() const {
  clusters::LatticePoints points;
  for (const auto& values : column) points.column.push_back(values.data());
  points.count = row.size();
  points.shift = shift;
  return points;
}

std::unique_ptr<PartSearch> make_cpu_part_search(const PartOfPoints& part, Progress& progress) {
  return made_part_search<Cpu>(part, progress);
}

std::unique_ptr<PartSearch> make_part_search(const PartOfPoints& part, Device device,
                                             Progress& progress) {
  return device.is_gpu() ? make_cuda_part_search(part, device, progress)
                         : make_cpu_part_search(part, progress);
}

std::vector<std::uint32_t> cpu_curve_order(const clusters::LatticePoints& points) {
  Cpu exec;
  const std::size_t dimensions = points.column.size();
  if (dimensions <= 3) return curve_order<3>(exec, points);
  if (dimensions <= 6) return curve_order<6>(exec, points);
  return curve_order<8>(exec, points);
}

}  // namespace haloscope::compute::distributed
