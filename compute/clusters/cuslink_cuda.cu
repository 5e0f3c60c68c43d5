#include "compute/brute_force/row_search.cuh"
#include "compute/clusters/cuslink.inl"
#include "compute/exec/cuda.h"

namespace haloscope::compute::clusters {

CuslinkTree make_cuda_cuslink_tree(Device device, const brute_force::Rows& rows,
                                   const CuslinkSettings& settings, Progress& progress,
                                   Timings* timings) {
  Cuda exec(device);
  Timings own_timings;
  return CuslinkMaker<Cuda>(exec, rows, settings, progress, timings ? *timings : own_timings)
      .make();
}

}  // namespace haloscope::compute::clusters
