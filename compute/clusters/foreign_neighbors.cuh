#pragma once

#include "compute/clusters/foreign_neighbors.inl"
#include "compute/spatial/warp_walk.cuh"

// Bounding blocks on the GPU. In the plain version a thread walks for a block; the walks of large
// blocks are long, and there are few of them, so that here a warp does.
namespace haloscope::compute::clusters {

constexpr int kBoundThreads = 128;

template <int D, int PerWarp>
__global__ void __launch_bounds__(kBoundThreads)
    bound_blocks_kernel(const BoundBlocks<D> bound, std::uint32_t blocks) {
  const BlockTreeView<D>& tree = spatial::in_shared_memory(bound.points.tree);
  const std::uint32_t warp = (blockIdx.x * kBoundThreads + threadIdx.x) / 32;
  const std::uint32_t lane = threadIdx.x % 32, first = warp * PerWarp;
  if (first >= blocks) return;
  bool walks = false;
  if (lane < PerWarp && first + lane < blocks) {
    const std::uint32_t own = bound.color_of(first + lane);
    if (own != kNone) {
      const std::uint64_t least = bound.inherited(first + lane);
      bound.block_bound[bound.box(first + lane)] = least;
      walks = bound.must_walk(first + lane, own, least);
    }
  }
  for (std::uint32_t left = __ballot_sync(~0u, walks); left != 0; left &= left - 1) {
    const std::uint32_t block = first + std::uint32_t(__ffs(int(left)) - 1);
    const std::uint32_t own = bound.color_of(block);
    const spatial::LatticeBox<D> box = tree.boxes[bound.box(block)];
    const std::uint64_t limit = bound.components.weight[own];
    const auto children = [&](int level, std::uint32_t parent) {
      const std::uint32_t child = parent * kFan + lane % kFan;
      bool wanted = lane < kFan && child < tree.levels.blocks[level];
      if (wanted) {
        const std::uint32_t at = tree.box(level, child);
        wanted =
            bound.points.block_color[at] != own && squared_between(box, tree.boxes[at]) <= limit;
      }
      return __ballot_sync(~0u, wanted);
    };
    const auto see = [&](std::uint32_t other) {
      const std::uint32_t i = other * kFan + lane;
      return !__any_sync(~0u, lane < kFan && i < tree.count && bound.points.color[i] != own &&
                                  squared_between(tree.points[i], box) <= limit);
    };
    if (warp_walk_around(tree, bound.level, block / kFan, 1u << block % kFan, children, see) &&
        lane == block - first)  // who wrote the lower one
      bound.block_bound[bound.box(block)] = limit + 1;
  }
}

template <int D>
void bound_blocks(Cuda& exec, const BoundBlocks<D>& bound, std::uint32_t blocks) {
  const NamedRange range("bounds");
  const auto run = [&]<int PerWarp>() {
    const std::uint64_t warps = (std::uint64_t(blocks) + PerWarp - 1) / PerWarp;
    const auto grid = unsigned((warps * 32 + kBoundThreads - 1) / kBoundThreads);
    bound_blocks_kernel<D, PerWarp><<<grid, kBoundThreads, 0, exec.stream()>>>(bound, blocks);
  };
  if (bound.level == 0)
    run.template operator()<8>();  // of which few have to walk
  else
    run.template operator()<1>();
  check_cuda(cudaGetLastError(), "bounds");
}

}  // namespace haloscope::compute::clusters
