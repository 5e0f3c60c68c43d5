#pragma once

#include "compute/exec/device.h"

#include <cstdint>
#include <vector>

// What merges with what: the hierarchy of a spanning tree, of points or of anything else that has
// one.
namespace haloscope::compute::hierarchy {

inline constexpr std::uint32_t kNone = ~0u;
// Of a dendrogram, whose nodes, two for each point, are numbered in 32 bits.
inline constexpr std::uint32_t kMostPoints = kNone / 2;

// The edges of a forest in the order in which they merge what they join; an edge is called by its
// place in that order, its rank. Single linkage takes edges of a minimum spanning tree by length.
struct RankedForest {
  std::uint32_t points = 0;
  std::vector<std::uint32_t> a, b;  // of each edge, by rank
};

// Its merges: each edge makes one cluster of two, which are points or clusters of edges before it.
struct Dendrogram {
  std::vector<std::uint32_t> point_parent;  // the edge that merges each point; kNone: none does
  std::vector<std::uint32_t> edge_parent;   // the edge that merges each edge's cluster; kNone: none
  std::vector<std::uint32_t> size;          // points in each edge's cluster
  std::vector<std::uint32_t> order;         // the points, those of any cluster side by side
  // The edge that first puts order[k] and order[k + 1] into one cluster; kNone: they have none. As
  // every edge stands here once, what is merged up to a rank is one scan of this list.
  std::vector<std::uint32_t> between;
};

// Makes the dendrogram of a forest on a device. Takes time O(n log n) and no pass that is serial,
// whatever the shape: Borůvka's rounds on the forest itself, whose components tell to which chain
// of the dendrogram an edge belongs (PANDORA: Sao, Prokopenko, Lebrun-Grandié, ICPP 2024, §4), and
// a sort by chain and rank. Depends on the forest alone. Throws Error for edges that close a cycle
// or name points that are not there, and where memory runs out (some 45 B per point).
Dendrogram make_dendrogram(Device device, const RankedForest& forest);

Dendrogram make_cpu_dendrogram(const RankedForest& forest);
Dendrogram make_cuda_dendrogram(Device device, const RankedForest& forest);

}  // namespace haloscope::compute::hierarchy
