#include "compute/exec/cpu.h"
#include "compute/spatial/nearest_group_cpu.h"
#include "compute/spatial/neighbors.inl"

namespace haloscope::compute::spatial {

std::unique_ptr<Neighbors> make_cpu_neighbors() {
  return std::make_unique<NeighborsOn<Cpu>>();
}

}  // namespace haloscope::compute::spatial
