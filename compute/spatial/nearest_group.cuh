#pragma once

#include "compute/exec/cuda.h"
#include "compute/spatial/neighbors.inl"

// The search for the k nearest for the GPU. In the plain version each thread walks the tree alone
// and keeps its list in local memory; here a warp walks it once for 32 points that are side by side
// in Morton order. Where a node has at most 32 points, each lane takes one of them, and they are
// compared with one after the other of the group's points that want that node, mostly a few. Lists
// are sorted in registers, one per lane; distances wait in shared memory until many lanes have some
// to insert.
namespace haloscope::compute::spatial {

template <int Capacity>
class GroupSearch {
 public:
  static constexpr int kLanes = 32;
  // Distances of one lane that are worth inserting.
  static constexpr int kMany = Capacity > 8 ? 8 : 4;
  static constexpr int kWaiting = kMany + kLanes;
  // Leaves before and after the group that are met first, without the tree.
  static constexpr std::uint32_t kWindow = Capacity > 8 ? kLanes : 0;

  struct Shared {
    CellPoint group[kLanes], others[kLanes];
    // A column more than there are: neither rows nor columns meet in one bank.
    std::uint32_t waiting[kLanes][kWaiting + 1];
  };

  // All lanes call all functions. `group` is its first leaf.
  __device__ GroupSearch(const LbvhView<CellPoint>& tree, Shared& shared, std::uint32_t group,
                         int k)
      : tree_(tree), shared_(shared), lane_(threadIdx.x % kLanes), leaf_(group + lane_), list_(k) {
    exists_ = leaf_ < tree.count;
    point_ = tree.leaves[exists_ ? leaf_ : tree.count - 1];
    shared.group[lane_] = point_;
    window_begin_ = group > kWindow ? group - kWindow : 0;
    window_end_ = tree.count - group > kLanes + kWindow ? group + kLanes + kWindow : tree.count;
  }

  __device__ void search() {
    meet_window();
    if (window_end_ < tree_.count) walk(tree_.after(window_end_ - 1), window_end_, tree_.count);
    if (window_begin_ > 0) walk(tree_.root(), 0, window_begin_);
    insert_waiting();
  }

  __device__ bool exists() const { return exists_; }
  __device__ std::uint32_t index() const { return point_.index; }
  __device__ float farthest() const {
    return list_.farthest() == kNone ? INFINITY : __uint_as_float(list_.farthest());
  }

 private:
  __device__ void meet_window() {
    for (std::uint32_t begin = window_begin_; begin < window_end_; begin += kLanes) {
      const auto left = window_end_ - begin;
      const int count = int(left < kLanes ? left : kLanes);
      __syncwarp();
      if (int(lane_) < count) shared_.others[lane_] = tree_.leaves[begin + lane_];
      __syncwarp();
      for (int j = 0; j < count; ++j) {
        const std::uint64_t squared = squared_distance(point_, shared_.others[j]);
        if (begin + std::uint32_t(j) != leaf_ && squared < farthest_)
          shared_.waiting[lane_][waiting_++] = rounded(squared);
        if (j % kMany == kMany - 1) insert_waiting();
      }
    }
  }

  // The leaves from `from` on, the first of which is `begin`, up to `end`.
  __device__ void walk(NodeRef at, std::uint32_t begin, std::uint32_t end) {
    while (begin < end) {
      if (at & kLeaf) {
        meet(begin, begin + 1, ~0u);
        at = tree_.after(begin);
        ++begin;
        continue;
      }
      const BvhNode node = tree_.nodes[at];
      const std::uint32_t next = node.rope == kEnd ? tree_.count : node.rope & ~kLeaf;
      const unsigned wanted = __ballot_sync(~0u, squared_distance_to_box(point_, node) < farthest_);
      if (wanted != 0) {
        if (next - begin > kLanes) {
          at = node.left;
          continue;
        }
        meet(begin, next < end ? next : end, wanted);
      }
      at = node.rope;
      begin = next;
    }
  }

  // At most 32 leaves that lie outside the window, by the lanes that want them.
  __device__ void meet(std::uint32_t begin, std::uint32_t end, unsigned wanted) {
    const bool mine = begin + lane_ < end;
    const CellPoint other = tree_.leaves[mine ? begin + lane_ : begin];
    for (; wanted != 0; wanted &= wanted - 1) {
      const int lane = __ffs(int(wanted)) - 1;
      const std::uint64_t squared = squared_distance(shared_.group[lane], other);
      const std::uint64_t farthest = __shfl_sync(~0u, farthest_, lane);
      const unsigned near = __ballot_sync(~0u, mine && squared < farthest);
      if (near == 0) continue;
      const int waiting = __shfl_sync(~0u, waiting_, lane);
      if (near >> lane_ & 1)
        shared_.waiting[lane][waiting + __popc(near & ((1u << lane_) - 1))] = rounded(squared);
      if (int(lane_) == lane) waiting_ += __popc(near);
    }
    if (__any_sync(~0u, waiting_ >= kMany)) insert_waiting();
  }

  __device__ void insert_waiting() {
    __syncwarp();
    while (__any_sync(~0u, waiting_ > 0))
      list_.insert(waiting_ > 0 ? shared_.waiting[lane_][--waiting_] : kNone);
    farthest_ =
        list_.farthest() == kNone ? kNowhere : std::uint64_t(__uint_as_float(list_.farthest()));
    __syncwarp();
  }

  // Lists hold the bits of float32, which have the order of what they stand for: half the registers
  // and a third of the instructions. Rounding keeps the order, so that the k-th rounded is the
  // rounded k-th.
  static constexpr std::uint32_t kNone = ~0u;
  __device__ static std::uint32_t rounded(std::uint64_t squared) {
    return __float_as_uint(float(squared));
  }

  const LbvhView<CellPoint>& tree_;
  Shared& shared_;
  const std::uint32_t lane_, leaf_;
  bool exists_;
  CellPoint point_;
  std::uint32_t window_begin_, window_end_;
  int waiting_ = 0;
  SortedNearest<Capacity, std::uint32_t> list_;
  std::uint64_t farthest_ = kNowhere;  // of the list
};

constexpr int kGroupThreads = 128;

template <int Capacity>
__global__ void __launch_bounds__(kGroupThreads)
    find_kth_kernel(const LbvhView<CellPoint> tree, int k, std::uint32_t first, std::uint32_t count,
                    float* squared) {
  using Search = GroupSearch<Capacity>;
  __shared__ typename Search::Shared shared[kGroupThreads / 32];
  const std::uint64_t group =
      (std::uint64_t(blockIdx.x) * (kGroupThreads / 32) + threadIdx.x / 32) * 32;
  if (group >= count) return;
  Search search(tree, shared[threadIdx.x / 32], first + std::uint32_t(group), k);
  search.search();
  if (search.exists() && std::uint32_t(group) + threadIdx.x % 32 < count)
    squared[search.index()] = search.farthest();
}

inline void find_kth_distances(Cuda& exec, const LbvhView<CellPoint>& tree, int k,
                               std::uint32_t first, std::uint32_t count, float* squared) {
  if (count == 0) return;
  if (k > 32) return find_kth_distances<Cuda>(exec, tree, k, first, count, squared);
  const NamedRange range("nearest neighbors");
  const unsigned blocks = unsigned((std::uint64_t(count) + kGroupThreads - 1) / kGroupThreads);
  const auto run = [&](auto kernel) {
    kernel<<<blocks, kGroupThreads, 0, exec.stream()>>>(tree, k, first, count, squared);
    check_cuda(cudaGetLastError(), "nearest neighbors");
  };
  if (k <= 8)
    run(find_kth_kernel<8>);
  else if (k <= 16)
    run(find_kth_kernel<16>);
  else
    run(find_kth_kernel<32>);
}

}  // namespace haloscope::compute::spatial
