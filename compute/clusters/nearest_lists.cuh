#pragma once

#include "compute/clusters/nearest_lists_exact.cuh"
#include "compute/exec/cuda.h"
#include "compute/spatial/relative_float.cuh"
#include "compute/spatial/warp_walk.cuh"

// Lists of nearest neighbors for the GPU. In the plain version each thread walks the tree alone and
// keeps its list in local memory; here a warp walks it once for 32 points that lie side by side,
// and lists stay in registers. Boxes of blocks are tested by each lane for its own point. Where
// some lane wants a block of points it is put aside; of four such blocks each lane takes a point,
// and they are compared with one after the other of the warp's points that want any of the four,
// mostly a few.
//
// All distances are in float32, and only what is in a list at the end is measured exactly:
// nothing_below() allows for what was left out wrongly. Warps for which float32 is too coarse, as
// where their points lie far apart, are left to ExactWarpLists.
namespace haloscope::compute::clusters {

template <int D, int Capacity>
class WarpLists {
 public:
  static constexpr int kLanes = 32;
  static constexpr std::uint32_t kBlocks = kLanes / spatial::kFan;  // of a warp
  // Room for an axis more: the limit of a point stands behind its coordinates.
  static constexpr int kQuads = (D + 4) / 4;
  struct Shared {
    float4 point[kQuads][kLanes];
    float4 center[kQuads][spatial::kFan], half[kQuads][spatial::kFan];  // of boxes
    // The bits of a distance, without the lowest five, and the lane whose point it is. A column
    // more than there are: rows and columns meet in no bank.
    std::uint32_t waiting[kLanes][kLanes + 1];
  };

  // All lanes call all functions. `warp`: of those of all points.
  __device__ WarpLists(const BlockTreeView<D>& tree, Shared& shared, std::uint32_t warp, int k)
      : tree_(tree), shared_(shared), lane_(threadIdx.x % kLanes), first_(warp * kBlocks), k_(k) {
    const std::uint64_t own = std::uint64_t(warp) * kLanes + lane_;
    exists_ = own < tree.count;
    place_ = exists_ ? std::uint32_t(own) : tree.count - 1;
    const spatial::LatticePoint<D> point = tree.points[place_];
    origin_ = tree.points[first_ * spatial::kFan];
    at_ = spatial::RelativePoint<D>(point, origin_);
    // The first ones are below all distances where k is below Capacity, and nothing displaces them.
    for (int n = 0; n < Capacity; ++n) {
      squared_[n] = n < Capacity - k ? -1.f : INFINITY;
      neighbor_[n] = place_;
    }
    reach_ = most_of_warp(at_.reach(origin_));
    for (int a = 0; a < D; ++a) {
      const float low = -most_of_warp(-at_.at[a]), high = most_of_warp(at_.at[a]);
      center_[a] = 0.5f * (low + high);
      half_[a] = fmaxf(high - center_[a], center_[a] - low) + reach_ * spatial::kReachMargin;
    }
  }

  // Returns whether float32 was fine enough.
  __device__ bool find() {
    see_own();
    // Differences of places that are farther apart may wrap. A list that is not full yet has no
    // limit, and is left out here too.
    const float quarter = __uint_as_float((127 + 30 - origin_.shift(0)) << 23);
    if (!(reach_ + sqrtf(limit_of_all_) < quarter)) return false;
    spatial::warp_walk_around(
        tree_, 0, first_ / spatial::kFan, ((1u << kBlocks) - 1) << first_ % spatial::kFan,
        [this](int level, std::uint32_t parent) { return children(level, parent); },
        [this](std::uint32_t block) {
          const std::uint32_t near = __ballot_sync(~0u, is_near(block));
          if (near != 0) put_aside(block, near);
          return true;
        });
    if (aside_ > 0) see_aside();
    return __all_sync(~0u, is_fine());
  }

  __device__ void write(std::uint32_t* neighbors) const {
    if (!exists_) return;
    const spatial::LatticePoint<D> point = tree_.points[place_];
    // Float32 rounded down has the order of its bits.
    std::uint64_t key[Capacity];
#pragma unroll
    for (int n = 0; n < Capacity; ++n) key[n] = n < Capacity - k_ ? 0 : ~std::uint64_t(0);
#pragma unroll
    for (int m = 0; m < Capacity; ++m) {
      if (m < Capacity - k_) continue;
      const std::uint64_t squared = squared_between(point, tree_.points[neighbor_[m]]);
      std::uint64_t next =
          std::uint64_t(__float_as_uint(__ull2float_rd(squared))) << 32 | neighbor_[m];
#pragma unroll
      for (int n = 0; n < Capacity; ++n) {
        const std::uint64_t known = key[n];
        key[n] = next < known ? next : known;
        next = next < known ? known : next;
      }
    }
#pragma unroll
    for (int n = 0; n < Capacity; ++n)
      if (n >= Capacity - k_)
        neighbors[std::size_t(n - (Capacity - k_)) * tree_.count + place_] = std::uint32_t(key[n]);
  }

 private:
  __device__ static float most_of_warp(float value) {
    for (int step = kLanes / 2; step > 0; step /= 2)
      value = fmaxf(value, __shfl_xor_sync(~0u, value, step));
    return value;
  }
  // One coordinate of four. The compiler knows a, so that nothing is indexed in memory.
  __device__ static float axis(const float4& four, int a) {
    return a % 4 == 0 ? four.x : a % 4 == 1 ? four.y : a % 4 == 2 ? four.z : four.w;
  }
  // The q-th four coordinates; values(a) gives that of axis a.
  template <class Values>
  __device__ static float4 quad(int q, const Values& values) {
    return {values(4 * q), values(4 * q + 1), values(4 * q + 2), values(4 * q + 3)};
  }

  // Whether the block of points that was tested last and is wanted by some may matter to this lane.
  __device__ bool is_near(std::uint32_t block) const {
    const std::uint32_t k = block % spatial::kFan;
    float sum = 0;
#pragma unroll
    for (int q = 0; q < (D + 3) / 4; ++q) {
      const float4 center = shared_.center[q][k], half = shared_.half[q][k];
#pragma unroll
      for (int a = 4 * q; a < 4 * q + 4 && a < D; ++a) {
        const float gap =
            fmaxf(fabsf(at_.at[a < D ? a : 0] - axis(center, a)) - axis(half, a), 0.f);
        sum = fmaf(gap, gap, sum);
      }
    }
    return sum <= limit_;
  }

  // The blocks of a level below a block that may hold something near; a bit for each.
  __device__ std::uint32_t children(int level, std::uint32_t parent) {
    const std::uint32_t k = lane_ % spatial::kFan, child = parent * spatial::kFan + k;
    bool near = child < tree_.levels.blocks[level];
    __syncwarp();
    if (near) {
      const spatial::LatticeBox<D> box = tree_.boxes[tree_.box(level, child)];
      float center[D], half[D], sum = 0;
#pragma unroll
      for (int a = 0; a < D; ++a) {
        const auto from = std::int32_t(box.low[a] - origin_.at[a]);
        const auto to = std::int32_t(box.high[a] - origin_.at[a]);
        const float low = float(from >> origin_.shift(a)), high = float(to >> origin_.shift(a));
        center[a] = 0.5f * (low + high);
        half[a] = fmaxf(high - center[a], center[a] - low);
        if (to < from) {  // it goes round the far side of a periodic box
          center[a] = __uint_as_float((127 + 31 - origin_.shift(a)) << 23);
          half[a] = center[a] - fminf(low, -high) + 2 * reach_;  // from either side
        }
        half[a] = fmaf(fmaxf(fabsf(center[a]) + half[a], reach_), spatial::kReachMargin, half[a]);
        const float gap = fmaxf(fabsf(center_[a] - center[a]) - (half_[a] + half[a]), 0.f);
        sum = fmaf(gap, gap, sum);
      }
      near = sum <= limit_of_all_;
      if (lane_ < spatial::kFan)
#pragma unroll
        for (int q = 0; q < (D + 3) / 4; ++q) {
          shared_.center[q][k] = quad(q, [&](int a) { return a < D ? center[a < D ? a : 0] : 0; });
          shared_.half[q][k] = quad(q, [&](int a) { return a < D ? half[a < D ? a : 0] : 0; });
        }
    }
    __syncwarp();
    std::uint32_t wanted = __ballot_sync(~0u, near) & spatial::kAllChildren;
    // One far point makes the box and the limit of all 32 large: each lane asks for its own.
    if (level > 0)
      for (std::uint32_t left = wanted; left != 0; left &= left - 1) {
        const std::uint32_t one = std::uint32_t(__ffs(int(left)) - 1);
        if (!__any_sync(~0u, is_near(one))) wanted &= ~(1u << one);
      }
    return wanted;
  }

  // Eight lanes get a block of points, which lanes of `near` want.
  __device__ void put_aside(std::uint32_t block, std::uint32_t near) {
    if (lane_ / spatial::kFan == aside_) block_ = block;
    wanting_ |= near;
    if (++aside_ == kBlocks) see_aside();
  }

  __device__ void see_aside() {
    const std::uint32_t place = block_ * spatial::kFan + lane_ % spatial::kFan;
    const bool has_point = lane_ / spatial::kFan < aside_ && place < tree_.count;
    spatial::RelativePoint<D> other;
    if (has_point)
      other = spatial::RelativePoint<D>(tree_.points[place], origin_);
    else
      for (int a = 0; a < D; ++a) other.at[a] = INFINITY;
#pragma unroll
    for (int q = 0; q < kQuads; ++q)
      shared_.point[q][lane_] = quad(q, [&](int a) {
        return a < D ? at_.at[a < D ? a : 0] : a == D ? squared_[Capacity - 1] : 0;
      });
    __syncwarp();
    int waiting = 0;
    for (; wanting_ != 0; wanting_ &= wanting_ - 1) {
      const int lane = __ffs(int(wanting_)) - 1;
      float4 point[kQuads];
#pragma unroll
      for (int q = 0; q < kQuads; ++q) point[q] = shared_.point[q][lane];
      float squared = 0;
#pragma unroll
      for (int a = 0; a < D; ++a) {
        const float d = other.at[a] - axis(point[a / 4], a);
        squared = fmaf(d, d, squared);
      }
      const bool near = squared < axis(point[D / 4], D);
      const std::uint32_t all = __ballot_sync(~0u, near);
      if (near)
        shared_.waiting[lane][__popc(all & ((1u << lane_) - 1))] =
            (__float_as_uint(squared) & ~31u) | lane_;
      if (int(lane_) == lane) waiting = __popc(all);
    }
    __syncwarp();
    while (__any_sync(~0u, waiting > 0)) {
      const std::uint32_t next = waiting > 0 ? shared_.waiting[lane_][--waiting] : ~0u;
      const std::uint32_t from = __shfl_sync(~0u, place, int(next % kLanes));
      const float squared = __uint_as_float(next & ~31u);  // ~0u: no number, below nothing
      if (__any_sync(~0u, squared < squared_[Capacity - 1])) insert(squared, from);
    }
    aside_ = 0;
    agree();
  }

  // The points of the warp, those of a lane's own block first: their distances are soon a limit.
  __device__ void see_own() {
    const std::uint32_t begin = first_ * spatial::kFan;
    for (std::uint32_t step = 1; step < kLanes; ++step) {
      float squared = 0;
#pragma unroll
      for (int a = 0; a < D; ++a) {
        const float d = __shfl_xor_sync(~0u, at_.at[a], int(step)) - at_.at[a];
        squared = fmaf(d, d, squared);
      }
      const std::uint32_t other = begin + (lane_ ^ step);
      if (other >= tree_.count) squared = INFINITY;
      if (__any_sync(~0u, squared < squared_[Capacity - 1])) insert(squared, other);
    }
    agree();
  }

  __device__ void insert(float squared, std::uint32_t place) {
#pragma unroll
    for (int n = 0; n < Capacity; ++n) {
      const float known = squared_[n];
      const std::uint32_t neighbor = neighbor_[n];
      const bool nearer = squared < known;
      squared_[n] = nearer ? squared : known;
      neighbor_[n] = nearer ? place : neighbor;
      squared = nearer ? known : squared;
      place = nearer ? neighbor : place;
    }
  }

  __device__ void agree() {
    limit_ = squared_[Capacity - 1] * kSquareMargin;
    limit_of_all_ = most_of_warp(limit_);
  }

  // Whether what was left out is no nearer than nothing_below() has it. Lengths in float32 are off
  // by 2⁻²⁰ of themselves and of the reach of the warp's points (relative_float.cuh) on both sides
  // of the comparison, and by another 2⁻¹⁹ of themselves for the bits that name a lane; 2⁻¹¹ of
  // the length is allowed for. Places below 2²³ are exact.
  __device__ bool is_fine() const {
    return reach_ <= 0x1p23f || reach_ * 0x1p-6f <= sqrtf(squared_[Capacity - 1]);
  }

  // Allows for the rounding of squares and sums.
  static constexpr float kSquareMargin = 1 + 0x1p-18f;

  const BlockTreeView<D>& tree_;
  Shared& shared_;
  const std::uint32_t lane_, first_;
  const int k_;
  bool exists_;
  std::uint32_t place_;
  spatial::LatticePoint<D> origin_;
  spatial::RelativePoint<D> at_;
  float center_[D], half_[D];  // of the box of all points of the warp, with a margin
  float reach_;                // of theirs
  float squared_[Capacity];    // ascending
  std::uint32_t neighbor_[Capacity];
  float limit_ = INFINITY, limit_of_all_ = INFINITY;  // squared, of what belongs into the list
  std::uint32_t aside_ = 0;                           // blocks
  std::uint32_t block_ = 0;                           // of this lane
  std::uint32_t wanting_ = 0;                         // lanes
};

template <int D, int Capacity>
__global__ void __launch_bounds__(kListThreads)
    list_nearest_kernel(const BlockTreeView<D> tree, int k, std::uint32_t* neighbors,
                        LeftWarps left) {
  using Lists = WarpLists<D, Capacity>;
  __shared__ typename Lists::Shared shared[kListThreads / 32];
  const BlockTreeView<D>& view = spatial::in_shared_memory(tree);
  const std::uint64_t warp = (std::uint64_t(blockIdx.x) * kListThreads + threadIdx.x) / 32;
  if (warp * 32 >= tree.count) return;
  Lists lists(view, shared[threadIdx.x / 32], std::uint32_t(warp), k);
  if (lists.find())
    lists.write(neighbors);
  else if (threadIdx.x % 32 == 0)
    left.warp[atomic_add(left.count, 1)] = std::uint32_t(warp);
}

template <int D, int Capacity>
void list_nearest_by_warps(Cuda& exec, const BlockTreeView<D>& tree, const NeighborLists& lists) {
  const std::uint64_t warps = (std::uint64_t(tree.count) + 31) / 32;
  Buffer<std::uint32_t, Cuda> left(exec, 1 + warps, "neighbors");
  exec.zero(left.data(), sizeof(std::uint32_t));
  const LeftWarps to_do{left.data(), left.data() + 1};
  const NamedRange range("nearest neighbors");
  const auto run = [&](std::uint64_t count, auto kernel) {
    const auto blocks = unsigned((count * 32 + kListThreads - 1) / kListThreads);
    if (blocks == 0) return;
    kernel<<<blocks, kListThreads, 0, exec.stream()>>>(tree, lists.k, lists.place, to_do);
    check_cuda(cudaGetLastError(), "nearest neighbors");
  };
  run(warps, list_nearest_kernel<D, Capacity>);
  std::uint32_t count = 0;
  exec.download(&count, left.data(), sizeof(count));
  run(count, list_exactly_kernel<D, Capacity>);
}

template <int D>
void list_nearest(Cuda& exec, const BlockTreeView<D>& tree, const NeighborLists& lists) {
  if (lists.k > 16) return list_nearest<D, Cuda>(exec, tree, lists);
  if (lists.k <= 6)
    list_nearest_by_warps<D, 6>(exec, tree, lists);
  else if (lists.k <= 8)
    list_nearest_by_warps<D, 8>(exec, tree, lists);
  else
    list_nearest_by_warps<D, 16>(exec, tree, lists);
}

}  // namespace haloscope::compute::clusters
