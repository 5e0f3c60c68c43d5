#pragma once

#include "compute/exec/device.h"
#include "compute/hierarchy/dendrogram.h"
#include "core/timings.h"

#include <cstdint>
#include <vector>

// Spanning forests of graphs.
namespace haloscope::compute::hierarchy {

// Compressed sparse rows: the edges of vertex v stand at begin[v] to begin[v + 1]. They have no
// direction: each may stand at one of its vertices or at both, and several times.
struct Graph {
  std::vector<std::uint64_t> begin{0};  // one more than there are vertices
  std::vector<std::uint32_t> neighbor;
  std::vector<float> weight;

  std::uint32_t vertices() const { return std::uint32_t(begin.size() - 1); }
};

struct SpanningForest {
  RankedForest edges;         // the smaller vertex first
  std::vector<float> weight;  // of each edge, by rank
};

enum class Spanning { Minimum, Maximum };

// Makes the spanning forest of least, or of largest, total weight on a device, its edges in the
// order of their weights, ascending or descending: Borůvka's rounds with colors of components, as
// cuSLINK has them (Nolet et al. 2023, §3.3). Weights of any sign are allowed, and 0. Edges of one
// weight are ordered by their smaller and then their larger vertex, in place of the random changes
// of weights there, so that the forest is unique, for any number of threads and on either executor.
// Adds the milliseconds of its phases to `timings`: the graph's way to the device, the rounds, and
// the edges' order and way back. Throws Error for weights that are not finite and vertices that are
// not there.
SpanningForest make_spanning_forest(Device device, const Graph& graph, Spanning spanning,
                                    Timings* timings = nullptr);

SpanningForest make_cpu_spanning_forest(const Graph& graph, Spanning spanning, Timings* timings);
SpanningForest make_cuda_spanning_forest(Device device, const Graph& graph, Spanning spanning,
                                         Timings* timings);

}  // namespace haloscope::compute::hierarchy
