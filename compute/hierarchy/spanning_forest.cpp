#include "compute/hierarchy/spanning_forest.h"

#include "core/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace haloscope::compute::hierarchy {

namespace {

void require(bool good, const std::string& fault) {
  if (!good) throw Error(fault, "graph");
}

}  // namespace

SpanningForest make_spanning_forest(Device device, const Graph& graph, Spanning spanning,
                                    Timings* timings) {
  const auto edges = std::to_string(graph.neighbor.size());
  require(!graph.begin.empty() && graph.begin.front() == 0 &&
              std::is_sorted(graph.begin.begin(), graph.begin.end()) &&
              graph.begin.back() == graph.neighbor.size(),
          "the rows do not ascend from 0 to the number of edges, " + edges);
  require(graph.begin.size() <= kNone, "it has more than 4294967294 vertices");
  require(graph.weight.size() == graph.neighbor.size(),
          "there are " + std::to_string(graph.weight.size()) + " weights of " + edges + " edges");
  for (const std::uint32_t vertex : graph.neighbor)
    require(vertex < graph.vertices(), "an edge names vertex " + std::to_string(vertex) + " of " +
                                           std::to_string(graph.vertices()));
  for (const float weight : graph.weight)
    require(std::isfinite(weight), "an edge's weight is not a finite number");
  return device.is_gpu() ? make_cuda_spanning_forest(device, graph, spanning, timings)
                         : make_cpu_spanning_forest(graph, spanning, timings);
}

}  // namespace haloscope::compute::hierarchy
