#pragma once

#include "compute/exec/cuda.h"
#include "compute/spatial/block_tree.inl"

// Walks through a block tree by a warp that tests 32 blocks or points at a time: what is left to be
// looked at stands on a stack, and four blocks are taken from it at once, whose eight children have
// a lane each.
namespace haloscope::compute::spatial {

class WarpFrontier {
 public:
  // A step takes four blocks and adds 32 at most, a level lower. Where the stack is nearly full one
  // block is taken at a time, which adds no more than seven for each level.
  static constexpr int kCapacity = 512, kNearlyFull = kCapacity - 32 - 8 * BlockLevels::kMost;
  struct Shared {
    std::uint32_t block[kCapacity];
    std::uint8_t level[kCapacity];
  };

  __device__ explicit WarpFrontier(Shared& shared) : shared_(shared), lane_(threadIdx.x % 32) {}

  // Walks all of the tree but what lies below `own` on `level`, the blocks next to it on the curve
  // first. wants(level, block) says whether a block may matter, and sees(point) looks at a point;
  // lanes call both with different arguments. Then all lanes call done(), which returns true to
  // stop. Returns whether it stopped the walk.
  template <int D, class Wants, class Sees, class Done>
  __device__ bool walk_around(const BlockTreeView<D>& tree, int level, std::uint32_t own,
                              const Wants& wants, const Sees& sees, const Done& done) {
    size_ = 0;
    push_around(tree, level, own, wants);
    while (size_ > 0) {
      const int taken = size_ >= kNearlyFull ? 1 : min(size_, 4), group = int(lane_ / kFan);
      size_ -= taken;
      bool wanted = false;
      int below = 0;
      std::uint32_t child = 0;
      if (group < taken) {
        const int at = size_ + group;
        below = int(shared_.level[at]) - 1;
        child = shared_.block[at] * kFan + lane_ % kFan;
        if (below < 0) {
          if (child < tree.count) sees(child);
        } else {
          wanted = child < tree.levels.blocks[below] && wants(below, child);
        }
      }
      __syncwarp();
      push(wanted, below, child);
      if (done()) return true;
    }
    return false;
  }

 private:
  // The siblings of a block and of the blocks above it, those of the highest level lowest.
  template <int D, class Wants>
  __device__ void push_around(const BlockTreeView<D>& tree, int level, std::uint32_t own,
                              const Wants& wants) {
    const int levels = tree.levels.count - 1 - level;  // that have siblings
    for (int first = (levels - 1) / 4 * 4; first >= 0; first -= 4) {
      const int above = first + 3 - int(lane_ / kFan), of = level + above;
      bool wanted = false;
      std::uint32_t block = 0;
      if (above < levels) {
        const std::uint32_t ancestor = own >> (3 * above);
        block = ancestor / kFan * kFan + lane_ % kFan;
        wanted = block != ancestor && block < tree.levels.blocks[of] && wants(of, block);
      }
      push(wanted, of, block);
    }
  }

  __device__ void push(bool wanted, int level, std::uint32_t block) {
    const std::uint32_t all = __ballot_sync(~0u, wanted);
    if (wanted) {
      const int at = size_ + __popc(all & ((1u << lane_) - 1));
      shared_.block[at] = block;
      shared_.level[at] = std::uint8_t(level);
    }
    size_ += __popc(all);
    __syncwarp();
  }

  Shared& shared_;
  const std::uint32_t lane_;
  int size_ = 0;
};

}  // namespace haloscope::compute::spatial
