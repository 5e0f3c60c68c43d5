#pragma once

#include "compute/clusters/spanning_tree.h"
#include "compute/distributed/part_search.h"
#include "compute/exec/ranks.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// How edges come to rank 0.
struct CollectSettings {
  std::uint64_t step = 1024;               // one of so many tells where the others lie
  std::uint64_t steps_of_share = 64;       // edges that one task merges
  std::uint64_t shares_at_once = 64;       // that travel together: 64 MiB
  std::uint64_t points_at_once = 1 << 20;  // of each rank, for core distances
};

// Puts the edges of all ranks, of which each has a run in order, in their order into rank 0's tree
// of so many points. All ranks call it. Shares of the order come one after the other, so that rank
// 0 holds the tree, 16 bytes an edge, and some of them.
void collect_edges(Ranks& ranks, const PartSearch& part, clusters::SpanningTree& tree,
                   const CollectSettings& settings = {});

// By all cores. Thrust's sort of structures goes on from null pointers on processors.
void put_in_order(std::vector<TreeEdge>& edges);

// The same as collect_edges() for the core distances of points.
void collect_core(Ranks& ranks, const PartSearch& part, clusters::SpanningTree& tree,
                  const CollectSettings& settings = {});

}  // namespace haloscope::compute::distributed
