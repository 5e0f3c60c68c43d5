#pragma once

#include "compute/clusters/nearest_lists.inl"
#include "compute/exec/cpu.h"

// Lists of nearest neighbors for the CPU. In the plain version each point walks the tree alone;
// here the points of a block walk it together, and the distances of all of them to a point that one
// of them wants are taken in vectors.
namespace haloscope::compute::clusters {

// What ListNearest does, for the points of one block; k ≤ 16.
void list_nearest_of_block(const BlockTreeView<3>& tree, int k, std::uint32_t block,
                           std::uint32_t* neighbors);
void list_nearest_of_block(const BlockTreeView<6>& tree, int k, std::uint32_t block,
                           std::uint32_t* neighbors);
void list_nearest_of_block(const BlockTreeView<8>& tree, int k, std::uint32_t block,
                           std::uint32_t* neighbors);

template <int D>
void list_nearest(Cpu& exec, const BlockTreeView<D>& tree, const NeighborLists& lists) {
  if (lists.k > 16) return list_nearest<D, Cpu>(exec, tree, lists);
  parallel_for(exec, "nearest neighbors", tree.levels.blocks[0], [&](std::size_t block) {
    list_nearest_of_block(tree, lists.k, std::uint32_t(block), lists.place);
  });
}

}  // namespace haloscope::compute::clusters
