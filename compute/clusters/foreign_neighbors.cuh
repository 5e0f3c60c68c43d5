#pragma once

#include "compute/clusters/foreign_neighbors.inl"
#include "compute/spatial/warp_walk.cuh"

// Bounding blocks on the GPU. In the plain version a thread walks for a block; the walks of large
// blocks are long, and there are few of them, so that here a warp does.
namespace haloscope::compute::clusters {

constexpr int kBoundThreads = 128;

template <int D>
__global__ void __launch_bounds__(kBoundThreads)
    bound_blocks_kernel(const BoundBlocks<D> bound, std::uint32_t blocks) {
  const BlockTreeView<D>& tree = spatial::in_shared_memory(bound.points.tree);
  const std::uint32_t warp = (blockIdx.x * kBoundThreads + threadIdx.x) / 32;
  if (warp >= blocks) return;
  const std::uint32_t lane = threadIdx.x % 32, own = bound.color_of(warp);
  if (own == kNone) return;
  const spatial::LatticeBox<D> box = tree.boxes[bound.box(warp)];
  std::uint64_t least = bound.inherited(warp);
  if (bound.must_walk(warp, own, least)) {
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
    if (warp_walk_around(tree, bound.level, warp / kFan, 1u << warp % kFan, children, see))
      least = limit + 1;
  }
  if (lane == 0) bound.block_bound[bound.box(warp)] = least;
}

template <int D>
void bound_blocks(Cuda& exec, const BoundBlocks<D>& bound, std::uint32_t blocks) {
  if (bound.level == 0) return bound_blocks<D, Cuda>(exec, bound, blocks);
  const NamedRange range("bounds");
  const auto grid = unsigned((std::uint64_t(blocks) * 32 + kBoundThreads - 1) / kBoundThreads);
  bound_blocks_kernel<D><<<grid, kBoundThreads, 0, exec.stream()>>>(bound, blocks);
  check_cuda(cudaGetLastError(), "bounds");
}

}  // namespace haloscope::compute::clusters
