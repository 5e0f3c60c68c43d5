#pragma once

#include "compute/clusters/nearest_lists.inl"
#include "compute/exec/cuda.h"
#include "compute/exec/warp.cuh"
#include "compute/spatial/relative_float.cuh"
#include "compute/spatial/warp_walk.cuh"

// Exact lists of nearest neighbors, for the few warps of points for which float32 is too coarse
// (nearest_lists.cuh). Boxes and points are compared in float32 first, and whatever that does not
// rule out is measured exactly.
namespace haloscope::compute::clusters {

template <int D, int Capacity>
class ExactWarpLists {
 public:
  static constexpr int kLanes = 32;
  static constexpr std::uint32_t kBlocks = kLanes / spatial::kFan;  // of a warp
  static constexpr int kWaiting = 16, kQuads = (D + 3) / 4;
  // The upper half holds the bits of a distance in float32, rounded down, which have its order.
  using Key = std::uint64_t;
  struct Shared {
    std::uint32_t waiting[kWaiting][kLanes];     // places
    float4 point[spatial::kFan][kQuads];         // of the block that is seen
    spatial::RelativeBox<D> box[spatial::kFan];  // of the blocks that were tested last
    float reach[spatial::kFan];
  };

  // All lanes call all functions. `warp`: of those of all points.
  __device__ ExactWarpLists(const BlockTreeView<D>& tree, Shared& shared, std::uint32_t warp, int k)
      : tree_(tree), shared_(shared), lane_(threadIdx.x % kLanes), first_(warp * kBlocks), k_(k) {
    const std::uint64_t own = std::uint64_t(warp) * kLanes + lane_;
    exists_ = own < tree.count;
    place_ = exists_ ? std::uint32_t(own) : tree.count - 1;
    point_ = tree.points[place_];
    origin_ = tree.points[first_ * spatial::kFan];
    relative_ = spatial::RelativePoint<D>(point_, origin_);
    // The first ones are zeros that nothing displaces where k is below Capacity.
    for (int n = 0; n < Capacity; ++n) key_[n] = n < Capacity - k ? 0 : ~Key(0);
    reach_ = most_of_warp(relative_.reach(origin_));
    for (int a = 0; a < D; ++a) {
      box_.low[a] = -most_of_warp_signed(-relative_.at[a]);
      box_.high[a] = most_of_warp_signed(relative_.at[a]);
    }
  }

  __device__ void find() {
    see_own();
    spatial::warp_walk_around(
        tree_, 0, first_ / spatial::kFan, ((1u << kBlocks) - 1) << first_ % spatial::kFan,
        [this](int level, std::uint32_t parent) { return children(level, parent); },
        [this](std::uint32_t block) {
          if (__any_sync(~0u, is_near(0, block))) see(block);
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
  // Floats of one sign have the order of their bits.
  __device__ static float most_of_warp(float length) {
    return __uint_as_float(warp_maximum(__float_as_uint(length)));
  }
  __device__ static float most_of_warp_signed(float value) {
    for (int step = kLanes / 2; step > 0; step /= 2)
      value = fmaxf(value, __shfl_xor_sync(~0u, value, step));
    return value;
  }

  // Whether one of the blocks that were tested last may hold something near this lane's point.
  __device__ bool is_near(int level, std::uint32_t block) const {
    const std::uint32_t k = block % spatial::kFan;
    const float reach = shared_.reach[k];
    if (reach >= spatial::kWraps)
      return squared_between(point_, tree_.boxes[tree_.box(level, block)]) < farthest_;
    return squared_between(relative_, shared_.box[k]) <= spatial::with_margin(length_, reach);
  }

  // The blocks of a level below a block that may hold something near; a bit for each.
  __device__ std::uint32_t children(int level, std::uint32_t parent) const {
    const std::uint32_t k = lane_ % spatial::kFan, child = parent * spatial::kFan + k;
    bool near = child < tree_.levels.blocks[level];
    __syncwarp();
    if (near) {
      const spatial::RelativeBox<D> box(tree_.boxes[tree_.box(level, child)], origin_);
      const float reach = fmaxf(box.reach(origin_), reach_);
      near = reach >= spatial::kWraps ||
             squared_between(box_, box) <= spatial::with_margin(length_of_all_, reach);
      if (lane_ < spatial::kFan) {
        shared_.box[k] = box;
        shared_.reach[k] = reach;
      }
    }
    __syncwarp();
    std::uint32_t wanted = __ballot_sync(~0u, near) & spatial::kAllChildren;
    // One far point makes the box and the limit of all 32 large: each lane asks for its own.
    if (level > 0)
      for (std::uint32_t left = wanted; left != 0; left &= left - 1) {
        const std::uint32_t one = std::uint32_t(__ffs(int(left)) - 1);
        if (!__any_sync(~0u, is_near(level, parent * spatial::kFan + one))) wanted &= ~(1u << one);
      }
    return wanted;
  }

  __device__ void see(std::uint32_t block) {
    const std::uint32_t begin = block * spatial::kFan, count = tree_.end_of(block) - begin;
    const std::uint32_t k = lane_ % spatial::kFan;
    const spatial::RelativePoint<D> near(tree_.points[begin + (k < count ? k : 0)], origin_);
    __syncwarp();
    if (lane_ < spatial::kFan)
#pragma unroll
      for (int q = 0; q < kQuads; ++q)
        shared_.point[k][q] = {axis(near, 4 * q), axis(near, 4 * q + 1), axis(near, 4 * q + 2),
                               axis(near, 4 * q + 3)};
    const float reach = fmaxf(most_of_warp(near.reach(origin_)), reach_);
    const bool exact = reach >= spatial::kWraps;
    const float limit = spatial::with_margin(length_, reach);
    __syncwarp();
#pragma unroll
    for (std::uint32_t j = 0; j < spatial::kFan; ++j) {
      float squared = 0;
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        const float4 four = shared_.point[j][q];
        add_square(squared, four.x, 4 * q);
        add_square(squared, four.y, 4 * q + 1);
        add_square(squared, four.z, 4 * q + 2);
        add_square(squared, four.w, 4 * q + 3);
      }
      if (squared <= limit || exact) wait(begin + j);
    }
    insert_if_many();
  }

  // The points of the warp, those of a lane's own block first: their distances are soon a limit.
  __device__ void see_own() {
    const std::uint32_t begin = first_ * spatial::kFan;
    for (std::uint32_t step = 1; step < spatial::kFan; ++step) wait(begin + (lane_ ^ step));
    insert_waiting();
    const float limit = spatial::with_margin(length_, reach_);
    for (std::uint32_t step = spatial::kFan; step < kLanes; ++step) {
      float squared = 0;
#pragma unroll
      for (int a = 0; a < D; ++a) {
        const float d = __shfl_xor_sync(~0u, relative_.at[a], int(step)) - relative_.at[a];
        squared = fmaf(d, d, squared);
      }
      if (squared <= limit || reach_ >= spatial::kWraps) wait(begin + (lane_ ^ step));
      if (step % spatial::kFan == spatial::kFan - 1) insert_if_many();
    }
  }

  __device__ static float axis(const spatial::RelativePoint<D>& point, int a) {
    return a < D ? point.at[a < D ? a : 0] : 0;
  }
  __device__ void add_square(float& squared, float at, int a) const {
    if (a >= D) return;
    const float d = at - relative_.at[a < D ? a : 0];
    squared = fmaf(d, d, squared);
  }

  __device__ void wait(std::uint32_t place) {
    shared_.waiting[waiting_++][lane_] = place;
  }
  __device__ void insert_if_many() {
    if (__any_sync(~0u, waiting_ > kWaiting - int(spatial::kFan))) insert_waiting();
  }

  __device__ Key key_of(std::uint32_t place) const {
    // The last block of all may have fewer points than others.
    if (place == place_ || place >= tree_.count) return ~Key(0);
    const std::uint64_t squared = squared_between(point_, tree_.points[place]);
    return Key(__float_as_uint(__ull2float_rd(squared))) << 32 | place;
  }

  __device__ void insert_waiting() {
    while (__any_sync(~0u, waiting_ > 0)) {
      Key key = waiting_ > 0 ? key_of(shared_.waiting[--waiting_][lane_]) : ~Key(0);
      if (!__any_sync(~0u, key < key_[Capacity - 1])) continue;
#pragma unroll
      for (int n = 0; n < Capacity; ++n) {
        const Key known = key_[n];
        const bool nearer = key < known;
        key_[n] = nearer ? key : known;
        key = nearer ? known : key;
      }
    }
    // What rounds down to the last one's distance is no less than that.
    if (key_[Capacity - 1] != ~Key(0)) {
      farthest_ = std::uint64_t(__uint_as_float(std::uint32_t(key_[Capacity - 1] >> 32)));
      length_ = spatial::length_with_margin(farthest_);
    }
    length_of_all_ = most_of_warp(length_);
  }

  const BlockTreeView<D>& tree_;
  Shared& shared_;
  const std::uint32_t lane_, first_;
  const int k_;
  bool exists_;
  std::uint32_t place_;
  spatial::LatticePoint<D> point_, origin_;
  spatial::RelativePoint<D> relative_;
  spatial::RelativeBox<D> box_;  // of all points of the warp
  float reach_;                  // of theirs
  Key key_[Capacity];            // ascending; no index depends on the data
  int waiting_ = 0;
  std::uint64_t farthest_ = kFarAway;
  // Of what belongs into the list, with a margin; 2⁶² is beyond all, and its square is a number.
  static constexpr float kNoLimit = 0x1p62f;
  float length_ = kNoLimit, length_of_all_ = kNoLimit;
};

constexpr int kListThreads = 128;

// Warps of points whose lists are not made yet.
struct LeftWarps {
  std::uint32_t* count;
  std::uint32_t* warp;
};

template <int D, int Capacity>
__global__ void __launch_bounds__(kListThreads)
    list_exactly_kernel(const BlockTreeView<D> tree, int k, std::uint32_t* neighbors,
                        LeftWarps left) {
  using Lists = ExactWarpLists<D, Capacity>;
  __shared__ typename Lists::Shared shared[kListThreads / 32];
  const BlockTreeView<D>& view = spatial::in_shared_memory(tree);
  const std::uint32_t next = (blockIdx.x * kListThreads + threadIdx.x) / 32;
  if (next >= *left.count) return;
  Lists lists(view, shared[threadIdx.x / 32], left.warp[next], k);
  lists.find();
  lists.write(neighbors);
}

}  // namespace haloscope::compute::clusters
