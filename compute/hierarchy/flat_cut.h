#pragma once

#include "compute/hierarchy/dendrogram.h"

#include <cstdint>
#include <vector>

// Flat clusters: a dendrogram cut at one height.
namespace haloscope::compute::hierarchy {

struct FlatCut {
  // Of each point, from 0 on, in the order of the clusters' smallest points; kNone: its component
  // has too few points.
  std::vector<std::uint32_t> label;
  std::vector<std::uint64_t> members;  // of each label
};

// The components that the edges of the first `ranks` ranks make, those of `least_members` points or
// more. The leaves of a component stand side by side in Dendrogram::order, and a new one begins
// where Dendrogram::between is `ranks` or more. So a cut is one scan over the leaves and one
// scatter to the points, with no search and no union-find: time and memory O(points), some 20 B per
// point, on all cores. Depends on the dendrogram alone, not on the number of threads.
FlatCut flat_cut(const Dendrogram& dendrogram, std::uint32_t ranks, std::uint64_t least_members);

// How many edges a cut at `height` takes: those of this height and less, as fcluster of SciPy
// (criterion distance) has it. `heights`: of each edge by rank, not descending.
std::uint32_t ranks_up_to(const std::vector<double>& heights, double height);

}  // namespace haloscope::compute::hierarchy
