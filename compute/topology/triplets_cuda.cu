#include "compute/exec/cuda.h"
#include "compute/topology/triplets.inl"

namespace haloscope::compute::topology {

Triplets make_cuda_triplets(Device device, const ScalarGrid& grid, const TreeSettings& settings,
                            Progress& progress, Timings* timings) {
  Cuda exec(device);
  return triplets_on(exec, grid, settings, progress, timings);
}

}  // namespace haloscope::compute::topology
