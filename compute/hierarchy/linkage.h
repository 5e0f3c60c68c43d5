#pragma once

#include "compute/hierarchy/dendrogram.h"

#include <array>
#include <vector>

// The merges of a dendrogram as SciPy writes them.
namespace haloscope::compute::hierarchy {

// The two clusters that are merged, the smaller id first, the height, and the points of the new
// cluster. Points are called 0 to n − 1, and the cluster that row k makes n + k; float64 holds ids
// that float32 would round beyond 2²⁴.
using LinkageRow = std::array<double, 4>;

// SciPy's linkage matrix Z of a tree's dendrogram, n − 1 rows by rank; `height`: of each edge, not
// descending. Throws Error for a forest of several trees, which has no such matrix.
std::vector<LinkageRow> linkage_matrix(const Dendrogram& dendrogram,
                                       const std::vector<double>& height);

}  // namespace haloscope::compute::hierarchy
