#include "compute/exec/cpu.h"
#include "compute/topology/triplets.inl"

namespace haloscope::compute::topology {

Triplets make_cpu_triplets(const ScalarGrid& grid, const TreeSettings& settings, Progress& progress,
                           Timings* timings) {
  Cpu exec(progress);
  return triplets_on(exec, grid, settings, progress, timings);
}

}  // namespace haloscope::compute::topology
