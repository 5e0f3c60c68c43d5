#pragma once

#include "compute/clusters/foreign_neighbors.inl"
#include "compute/spatial/warp_frontier.cuh"
#include "compute/spatial/warp_walk.cuh"

#include <algorithm>

// Bounds of blocks and searches of points on the GPU. In the plain version a thread walks for a
// block or a point; here a warp does, which tests 32 blocks or points of the tree at a time.
namespace haloscope::compute::clusters {

constexpr int kBoundThreads = 128;

// Hands bounds down from the level above, and lists the blocks that must walk.
template <int D>
__global__ void __launch_bounds__(kBoundThreads)
    list_walks_kernel(const BoundBlocks<D> bound, std::uint32_t blocks, std::uint32_t* listed) {
  const std::uint32_t block = blockIdx.x * kBoundThreads + threadIdx.x, lane = threadIdx.x % 32;
  bool walks = false;
  // Whoever is needy on the levels below lies in needy blocks only.
  if (block < blocks && bound.needy[bound.box(block)]) {
    const std::uint32_t own = bound.color_of(block);
    if (own != kNone) {
      const std::uint64_t least = bound.inherited(block);
      bound.block_bound[bound.box(block)] = least;
      walks = bound.must_walk(block, own, least);
    }
  }
  const std::uint32_t all = __ballot_sync(~0u, walks);
  std::uint32_t begin = 0;
  if (lane == 0 && all != 0) begin = atomic_add(listed, std::uint32_t(__popc(all)));
  begin = __shfl_sync(~0u, begin, 0);
  if (walks) bound.list[begin + __popc(all & ((1u << lane) - 1))] = block;
}

template <int D>
__device__ void walk_for_block(const BoundBlocks<D>& bound, const BlockTreeView<D>& tree,
                               std::uint32_t block, spatial::WarpFrontier& frontier) {
  const std::uint32_t own = bound.color_of(block);
  const spatial::LatticeBox<D> box = tree.boxes[bound.box(block)];
  const std::uint64_t limit = bound.components.weight[own];
  bool found = false;
  const auto wants = [&](int level, std::uint32_t other) {
    const std::uint32_t at = tree.box(level, other);
    return bound.points.block_color[at] != own && squared_between(box, tree.boxes[at]) <= limit;
  };
  const auto sees = [&](std::uint32_t i) {
    found = bound.points.color[i] != own && squared_between(tree.points[i], box) <= limit;
  };
  if (!frontier.walk_around(tree, bound.level, block, wants, sees,
                            [&] { return __any_sync(~0u, found); }) &&
      threadIdx.x % 32 == 0)
    bound.block_bound[bound.box(block)] = limit + 1;
}

// Walks differ much in length: whoever is done takes the next one.
template <int D>
__global__ void __launch_bounds__(kBoundThreads)
    bound_blocks_kernel(const BoundBlocks<D> bound, const std::uint32_t* listed,
                        std::uint32_t* taken) {
  __shared__ spatial::WarpFrontier::Shared shared[kBoundThreads / 32];
  const BlockTreeView<D>& tree = spatial::in_shared_memory(bound.points.tree);
  spatial::WarpFrontier frontier(shared[threadIdx.x / 32]);
  const std::uint32_t count = *listed;
  for (;;) {
    std::uint32_t next = 0;
    if (threadIdx.x % 32 == 0) next = atomic_add(taken, 1);
    next = __shfl_sync(~0u, next, 0);
    if (next >= count) return;
    walk_for_block(bound, tree, bound.list[next], frontier);
  }
}

template <int D>
void bound_blocks(Cuda& exec, const BoundBlocks<D>& bound, std::uint32_t blocks) {
  constexpr std::uint32_t kMostBlocks = 4096;  // all that a GPU runs at a time, and more
  Buffer<std::uint32_t, Cuda> counts(exec, 2, "bounds");
  exec.zero(counts.data(), 2 * sizeof(std::uint32_t));
  const NamedRange range("bounds");
  const auto blocks_of_threads = (blocks + kBoundThreads - 1) / kBoundThreads;
  list_walks_kernel<D>
      <<<blocks_of_threads, kBoundThreads, 0, exec.stream()>>>(bound, blocks, counts.data());
  const std::uint32_t warps = kBoundThreads / 32;
  bound_blocks_kernel<D>
      <<<std::min((blocks + warps - 1) / warps, kMostBlocks), kBoundThreads, 0, exec.stream()>>>(
          bound, counts.data(), counts.data() + 1);
  check_cuda(cudaGetLastError(), "bounds");
}

// The nearest foreign point of one point, by a warp.
template <int D>
class WarpSearch {
 public:
  __device__ WarpSearch(const SearchTree<D>& search, const BlockTreeView<D>& tree, std::uint32_t i)
      : search_(search),
        tree_(tree),
        i_(i),
        own_(search.points.color[i]),
        point_(tree.points[i]),
        core_(search.points.core_of(i)),
        limit_(atomic_load(search.components.weight + own_)) {}

  __device__ void find(spatial::WarpFrontier& frontier) {
    // Lanes may have read different ones, which others lower meanwhile.
    limit_ = __shfl_sync(~0u, limit_, 0);
    const std::uint32_t block = i_ / kFan, lane = threadIdx.x % 32;
    if (lane < kFan && block * kFan + lane < tree_.count) see(block * kFan + lane);
    agree();
    frontier.walk_around(
        tree_, 0, block,
        [this](int level, std::uint32_t other) { return wants(tree_.box(level, other)); },
        [this](std::uint32_t j) { see(j); },
        [this] {
          agree();
          return false;
        });
    if (lane == 0) search_.keep(i_, own_, best_, limit_);
  }

 private:
  __device__ bool wants(std::uint32_t box) const {
    if (search_.points.block_color[box] == own_) return false;
    const std::uint64_t squared = squared_between(point_, tree_.boxes[box]);
    const std::uint64_t least = squared < core_ ? core_ : squared;
    if (least != limit_) return least < limit_;
    return best_.weight != limit_ ||
           ends_key(point_.row, search_.points.least_row[box]) < best_.ends;
  }
  __device__ void see(std::uint32_t j) {
    if (search_.points.color[j] == own_) return;
    const std::uint64_t weight = search_.points.weight(i_, j);
    if (weight > limit_) return;
    const std::uint64_t ends = search_.points.ends(i_, j);
    if (!best_.is_behind(weight, ends)) return;
    best_ = {weight, ends, j};
    has_news_ = true;
  }
  // Makes the best of all lanes that of each.
  __device__ void agree() {
    if (__any_sync(~0u, has_news_)) {
      for (int step = 16; step > 0; step /= 2) {
        const MetEdge other{__shfl_xor_sync(~0u, best_.weight, step),
                            __shfl_xor_sync(~0u, best_.ends, step),
                            __shfl_xor_sync(~0u, best_.to, step)};
        if (best_.is_behind(other.weight, other.ends)) best_ = other;
      }
      limit_ = best_.weight;
      has_news_ = false;
    }
    // Others of the component may have found something nearer meanwhile.
    if (++steps_ % 8 == 0) {
      const std::uint64_t known = atomic_load(search_.components.weight + own_);
      limit_ = __shfl_sync(~0u, known < limit_ ? known : limit_, 0);
    }
  }

  const SearchTree<D>& search_;
  const BlockTreeView<D>& tree_;
  const std::uint32_t i_, own_;
  const spatial::LatticePoint<D> point_;
  const std::uint64_t core_;
  std::uint64_t limit_;  // of all lanes
  MetEdge best_;         // of all lanes after agree()
  bool has_news_ = false;
  int steps_ = 0;
};

template <int D>
__global__ void __launch_bounds__(kBoundThreads)
    search_tree_kernel(const SearchTree<D> search, std::size_t searched) {
  __shared__ spatial::WarpFrontier::Shared shared[kBoundThreads / 32];
  const BlockTreeView<D>& tree = spatial::in_shared_memory(search.points.tree);
  const std::size_t warp = (std::size_t(blockIdx.x) * kBoundThreads + threadIdx.x) / 32;
  if (warp >= searched) return;
  spatial::WarpFrontier frontier(shared[threadIdx.x / 32]);
  WarpSearch<D>(search, tree, search.searching[warp]).find(frontier);
}

template <int D>
void search_tree(Cuda& exec, const SearchTree<D>& search, std::size_t searched) {
  if (searched == 0) return;
  const NamedRange range("searches");
  const std::size_t per_block = kBoundThreads / 32;
  search_tree_kernel<D>
      <<<unsigned((searched + per_block - 1) / per_block), kBoundThreads, 0, exec.stream()>>>(
          search, searched);
  check_cuda(cudaGetLastError(), "searches");
}

}  // namespace haloscope::compute::clusters
