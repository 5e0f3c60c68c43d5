#pragma once

#include "compute/clusters/nearest_lists.inl"
#include "compute/exec/cuda.h"
#include "compute/spatial/warp_walk.cuh"

// Lists of nearest neighbors for the GPU. In the plain version each thread walks the tree alone and
// keeps its list in local memory; here a warp walks it once for 32 points that lie side by side.
// Lanes test the eight blocks below a block side by side, with the box of all 32 points, and then
// each its own point with a block's points. Lists stay in registers; what belongs there waits in
// shared memory until some lane has much of it.
namespace haloscope::compute::clusters {

template <int D, int Capacity>
class WarpLists {
 public:
  static constexpr int kLanes = 32;
  static constexpr std::uint32_t kBlocks = kLanes / spatial::kFan;  // of a warp
  static constexpr int kWaiting = 12;
  // The upper half holds the bits of a distance in float32, rounded down, which have its order.
  using Key = std::uint64_t;
  struct Shared {
    Key waiting[kWaiting][kLanes];
  };

  // All lanes call all functions. `warp`: of those of all points.
  __device__ WarpLists(const BlockTreeView<D>& tree, Shared& shared, std::uint32_t warp, int k)
      : tree_(tree), shared_(shared), lane_(threadIdx.x % kLanes), first_(warp * kBlocks), k_(k) {
    const std::uint64_t own = std::uint64_t(warp) * kLanes + lane_;
    exists_ = own < tree.count;
    place_ = exists_ ? std::uint32_t(own) : tree.count - 1;
    point_ = tree.points[place_];
    // The first ones are zeros that nothing displaces where k is below Capacity.
    for (int n = 0; n < Capacity; ++n) key_[n] = n < Capacity - k ? 0 : ~Key(0);
    box_ = tree.boxes[first_];
    for (std::uint32_t b = first_ + 1; b < first_ + kBlocks && b < tree.levels.blocks[0]; ++b)
      for (int a = 0; a < D; ++a) {
        const spatial::LatticeBox<D>& other = tree.boxes[b];
        box_.low[a] = min(box_.low[a], other.low[a]);
        box_.high[a] = max(box_.high[a], other.high[a]);
      }
  }

  __device__ void find() {
    for (std::uint32_t b = first_; b < first_ + kBlocks && b < tree_.levels.blocks[0]; ++b) see(b);
    warp_walk_around(
        tree_, 0, first_ / spatial::kFan, ((1u << kBlocks) - 1) << first_ % spatial::kFan,
        [this](int level, std::uint32_t parent) { return children(level, parent); },
        [this](std::uint32_t block) {
          if (__any_sync(~0u, squared_between(point_, tree_.boxes[block]) < farthest_)) see(block);
          return true;
        });
    insert_waiting();
  }

  __device__ void write(std::uint32_t* neighbors) const {
    if (!exists_) return;
#pragma unroll
    for (int n = 0; n < Capacity; ++n)
      if (n >= Capacity - k_)
        neighbors[std::size_t(n - (Capacity - k_)) * tree_.count + place_] = std::uint32_t(key_[n]);
  }

 private:
  // The blocks of a level below a block that may hold something near; a bit for each.
  __device__ std::uint32_t children(int level, std::uint32_t parent) const {
    const std::uint32_t child = parent * spatial::kFan + lane_ % spatial::kFan;
    const bool near =
        child < tree_.levels.blocks[level] &&
        squared_between(box_, tree_.boxes[tree_.box(level, child)]) < farthest_of_all_;
    std::uint32_t wanted = __ballot_sync(~0u, near) & spatial::kAllChildren;
    // One far point makes the box and the limit of all 32 large: each lane asks for its own.
    if (level > 0)
      for (std::uint32_t left = wanted; left != 0; left &= left - 1) {
        const std::uint32_t k = std::uint32_t(__ffs(int(left)) - 1);
        if (!__any_sync(
                ~0u,
                squared_between(point_, tree_.boxes[tree_.box(level, parent * spatial::kFan + k)]) <
                    farthest_))
          wanted &= ~(1u << k);
      }
    return wanted;
  }

  __device__ void see(std::uint32_t block) {
    const std::uint32_t end = tree_.end_of(block);
    for (std::uint32_t j = block * spatial::kFan; j < end; ++j) {
      const std::uint64_t squared = squared_between(point_, tree_.points[j]);
      if (j != place_ && squared < farthest_)
        shared_.waiting[waiting_++][lane_] =
            Key(__float_as_uint(__ull2float_rd(squared))) << 32 | j;
    }
    if (__any_sync(~0u, waiting_ > kWaiting - int(spatial::kFan))) insert_waiting();
  }

  __device__ void insert_waiting() {
    while (__any_sync(~0u, waiting_ > 0)) {
      Key key = waiting_ > 0 ? shared_.waiting[--waiting_][lane_] : ~Key(0);
#pragma unroll
      for (int n = 0; n < Capacity; ++n) {
        const Key known = key_[n];
        const bool nearer = key < known;
        key_[n] = nearer ? key : known;
        key = nearer ? known : key;
      }
    }
    // What rounds down to the last one's distance is no less than that.
    const bool full = key_[Capacity - 1] != ~Key(0);
    const auto bits = std::uint32_t(key_[Capacity - 1] >> 32);
    farthest_ = full ? std::uint64_t(__uint_as_float(bits)) : kFarAway;
    std::uint32_t most = bits;
    for (int step = kLanes / 2; step > 0; step /= 2)
      most = max(most, __shfl_xor_sync(~0u, most, step));
    farthest_of_all_ = most == ~0u ? kFarAway : std::uint64_t(__uint_as_float(most));
  }

  const BlockTreeView<D>& tree_;
  Shared& shared_;
  const std::uint32_t lane_, first_;
  const int k_;
  bool exists_;
  std::uint32_t place_;
  spatial::LatticePoint<D> point_;
  spatial::LatticeBox<D> box_;  // of all points of the warp
  Key key_[Capacity];           // ascending; no index depends on the data
  int waiting_ = 0;
  std::uint64_t farthest_ = kFarAway, farthest_of_all_ = kFarAway;
};

constexpr int kListThreads = 128;

template <int D, int Capacity>
__global__ void __launch_bounds__(kListThreads)
    list_nearest_kernel(const BlockTreeView<D> tree, int k, std::uint32_t* neighbors) {
  using Lists = WarpLists<D, Capacity>;
  __shared__ typename Lists::Shared shared[kListThreads / 32];
  const BlockTreeView<D>& view = spatial::in_shared_memory(tree);
  const std::uint64_t warp = (std::uint64_t(blockIdx.x) * kListThreads + threadIdx.x) / 32;
  if (warp * 32 >= tree.count) return;
  Lists lists(view, shared[threadIdx.x / 32], std::uint32_t(warp), k);
  lists.find();
  lists.write(neighbors);
}

template <int D>
void list_nearest(Cuda& exec, const BlockTreeView<D>& tree, const NeighborLists& lists) {
  const auto [k, neighbors] = lists;
  if (k > 16) return list_nearest<D, Cuda>(exec, tree, lists);
  const NamedRange range("nearest neighbors");
  const auto blocks = unsigned((std::uint64_t(tree.count) + kListThreads - 1) / kListThreads);
  if (k <= 6)
    list_nearest_kernel<D, 6><<<blocks, kListThreads, 0, exec.stream()>>>(tree, k, neighbors);
  else if (k <= 8)
    list_nearest_kernel<D, 8><<<blocks, kListThreads, 0, exec.stream()>>>(tree, k, neighbors);
  else
    list_nearest_kernel<D, 16><<<blocks, kListThreads, 0, exec.stream()>>>(tree, k, neighbors);
  check_cuda(cudaGetLastError(), "nearest neighbors");
}

}  // namespace haloscope::compute::clusters
