#include "compute/exec/cpu.h"
#include "compute/hierarchy/spanning_forest.inl"

namespace haloscope::compute::hierarchy {

SpanningForest make_cpu_spanning_forest(const Graph& graph, Spanning spanning, Timings* timings) {
  Cpu exec;
  return spanning_forest_on(exec, graph, spanning, timings);
}

}  // namespace haloscope::compute::hierarchy
