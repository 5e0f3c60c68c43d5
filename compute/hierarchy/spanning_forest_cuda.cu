#include "compute/exec/cuda.h"
#include "compute/hierarchy/spanning_forest.inl"

namespace haloscope::compute::hierarchy {

SpanningForest make_cuda_spanning_forest(Device device, const Graph& graph, Spanning spanning,
                                         Timings* timings) {
  Cuda exec(device);
  return spanning_forest_on(exec, graph, spanning, timings);
}

}  // namespace haloscope::compute::hierarchy
