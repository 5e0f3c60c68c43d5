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

// Columns that are not there are zeros, as in clusters::ClusterTree.
std::unique_ptr<PartSearch> make_cpu_part_search(const PartOfPoints& part, Progress& progress) {
  const std::size_t dimensions = part.column.size();
  if (dimensions <= 3) return std::make_unique<PartSearchOn<3, Cpu>>(part, progress);
  if (dimensions <= 6) return std::make_unique<PartSearchOn<6, Cpu>>(part, progress);
  return std::make_unique<PartSearchOn<8, Cpu>>(part, progress);
}

std::vector<std::uint32_t> cpu_curve_order(const clusters::LatticePoints& points) {
  Cpu exec;
  const std::size_t dimensions = points.column.size();
  if (dimensions <= 3) return curve_order<3>(exec, points);
  if (dimensions <= 6) return curve_order<6>(exec, points);
  return curve_order<8>(exec, points);
}

}  // namespace haloscope::compute::distributed
