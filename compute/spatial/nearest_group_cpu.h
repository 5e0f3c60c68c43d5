#pragma once

#include "compute/exec/cpu.h"
#include "compute/spatial/neighbors.inl"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

// The search for the k nearest for the CPU. In the plain version each point walks the tree alone
// and keeps a heap; here the points of a node of the tree are searched for together, and distances
// to all that is near the node are taken in vectors.
namespace haloscope::compute::spatial {

// What find_kth_distances says, for the leaves first … end − 1, on this core.
void find_kth_of_leaves(const LbvhView<CellPoint>& tree, int k, std::uint32_t first,
                        std::uint32_t end, float* squared);

inline void find_kth_distances(Cpu& exec, const LbvhView<CellPoint>& tree, int k,
                               std::uint32_t first, std::uint32_t count, float* squared) {
  // Infinite all of them.
  if (tree.count <= std::uint32_t(k))
    return find_kth_distances<Cpu>(exec, tree, k, first, count, squared);
  constexpr std::uint32_t kLeaves = 1024;
  ::tbb::parallel_for(::tbb::blocked_range<std::uint32_t>(first, first + count, kLeaves),
                      [&](const ::tbb::blocked_range<std::uint32_t>& range) {
                        find_kth_of_leaves(tree, k, range.begin(), range.end(), squared);
                      });
}

}  // namespace haloscope::compute::spatial
