#pragma once

#include "compute/exec/cuda.h"
#include "compute/spatial/block_tree.inl"

// Walks through a block tree by a warp, which tests the blocks below a block side by side.
namespace haloscope::compute::spatial {

// A kernel's parameter where levels can be picked by a variable. All threads of a block call it,
// once in a kernel.
template <int D>
__device__ const BlockTreeView<D>& in_shared_memory(const BlockTreeView<D>& tree) {
  __shared__ alignas(BlockTreeView<D>) unsigned char bytes[sizeof(BlockTreeView<D>)];
  if (threadIdx.x == 0) memcpy(bytes, &tree, sizeof(tree));
  __syncthreads();
  return *reinterpret_cast<const BlockTreeView<D>*>(bytes);
}

inline constexpr std::uint32_t kAllChildren = (1u << kFan) - 1;

// Calls see(block) for the blocks of points below some children of `parent`. `left` has a bit for
// each child on `level`. children(level, parent) returns such bits for the children that are
// wanted, and see returns false to stop. All lanes call with the same arguments, and call both
// functions. Returns false when stopped.
template <class Children, class See>
__device__ bool warp_walk(int level, std::uint32_t parent, std::uint32_t left,
                          const Children& children, const See& see) {
  const int top = level;
  unsigned __int128 above = 0;  // what is left on higher levels
  static_assert((BlockLevels::kMost - 1) * kFan <= 128);
  for (;;) {
    while (left == 0) {
      if (level == top) return true;
      ++level;
      parent /= kFan;
      left = std::uint32_t(above) & kAllChildren;
      above >>= kFan;
    }
    const std::uint32_t child = parent * kFan + std::uint32_t(__ffs(int(left)) - 1);
    left &= left - 1;
    if (level == 0) {
      if (!see(child)) return false;
    } else {
      above = above << kFan | left;
      parent = child;
      --level;
      left = children(level, parent);
    }
  }
}

// The same for all blocks but the `done` ones of a level below `parent`, the next ones first.
template <int D, class Children, class See>
__device__ bool warp_walk_around(const BlockTreeView<D>& tree, int level, std::uint32_t parent,
                                 std::uint32_t done, const Children& children, const See& see) {
  for (; level + 1 < tree.levels.count; ++level) {
    if (!warp_walk(level, parent, children(level, parent) & ~done, children, see)) return false;
    done = 1u << parent % kFan;
    parent /= kFan;
  }
  return true;
}

}  // namespace haloscope::compute::spatial
