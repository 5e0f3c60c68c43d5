#pragma once

#include "compute/splotch/run.h"
#include "compute/splotch/runs_cuda.cuh"
#include "compute/splotch/window.cuh"

// Runs are drawn in groups that fall into one window: a kernel plans the groups, a batch of runs by
// a warp, and blocks of other kernels take them.
namespace haloscope::compute::splotch {

inline constexpr int kBatch = 32;  // runs that a warp plans at once, one per lane
inline constexpr int kSlices = kRun / 32;
// Splats of other than plain runs up to this radius are drawn at once, one lane each; beyond, they
// go to the tile pass, which takes a splat for a disc of its radius and so cannot draw the
// integrated kernel.
inline constexpr float kLaneRadius = FluxProfile::kIntegratedRadius;

// Runs of one batch that a block draws together. A batch is of runs that follow one another, in
// memory or in RunOrder.
struct RunGroup {
  unsigned first_run;  // of the batch
  unsigned runs;       // of the batch, a bit each
  bool inside;         // the group fits the window
  int x0, y0, x1, y1;  // pixels that the group may touch, inclusive
  float emission[3];   // no splat of the group exceeds it, by channel
};

// Pixels along a side of the windows that groups of scattered runs fall into.
inline constexpr int kLargeWindowSide = 72;

enum class GroupKind { Close, Scattered, Others };

// Where the groups of one kind lie: close ones from the front of RunsTask.groups, scattered ones
// and behind them others from its end.
struct GroupList {
  RunGroup* first;
  int step;  // to the next one
  ListCounts* counts;
  const unsigned* order;  // null: batches are of runs in memory
};

// Others have the place of scattered ones here: kernels ask for behind_scattered().
inline GroupList list_of(const RunsTask& task, GroupKind kind) {
  const bool sorted = kind == GroupKind::Close || kind == GroupKind::Scattered;
  const bool backwards = kind != GroupKind::Close;
  return {backwards ? task.groups + task.run_count - 1 : task.groups, backwards ? -1 : 1,
          task.counters->groups + int(kind), sorted ? task.order.runs : nullptr};
}

// Sparse runs, one by one.
struct RunList {
  unsigned* runs;
  ListCounts* counts;
};

// They lie behind the groups.
__host__ __device__ inline RunList sparse_runs(const RunsTask& task) {
  return {reinterpret_cast<unsigned*>(task.groups + task.run_count), &task.counters->sparse};
}

__device__ inline GroupList behind_scattered(GroupList others, const RunsTask& task) {
  others.first +=
      std::ptrdiff_t(task.counters->groups[int(GroupKind::Scattered)].planned) * others.step;
  return others;
}

// Groups the plain runs that fit a window, close and scattered ones. Where RunsTask.order has room,
// they are sorted by their places on the image before: a window then takes runs from all depths,
// and fewer windows are added to the image. Lists sparse ones.
void plan_plain_groups(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                       const RunsTask& task);
// Groups all others that can be seen: where plain ones are not apart, all runs. Where they are,
// call it behind plan_plain_groups(), whose count of scattered groups it reads.
template <Mode M>
void plan_other_groups(Cuda& exec, const Projector<Real<M>>& projector, const Layer& layer,
                       const RunsTask& task);

// What a block agrees on while it draws a group.
struct GroupInWork {
  RunGroup group;
  unsigned runs[kBatch];
  int run_count;
  int next_slice;  // work queue within the group: slices taken, beside those taken from the start
};

// Puts group `index` of a list to work, by the first warp.
__device__ inline void begin_group(GroupInWork& work, const GroupList& list, unsigned index) {
  const unsigned lane = threadIdx.x % 32;
  const RunGroup group = list.first[std::ptrdiff_t(index) * list.step];
  if (group.runs >> lane & 1) {
    const unsigned at = group.first_run + lane;
    work.runs[__popc(group.runs & ((1u << lane) - 1))] = list.order ? list.order[at] : at;
  }
  if (lane != 0) return;
  work.group = group;
  work.run_count = __popc(group.runs);
  work.next_slice = 0;
}

__device__ inline float window_scale(const RunGroup& group, int channel) {
  const float largest = group.emission[channel];
  return largest > 0 ? FixedPoint::kLargest / largest : 0.f;
}

// Adds the window to the image, by all `warps` of the block, and clears it.
__device__ inline void flush(Window& w, const RunGroup& group, int warps, int width,
                             float4* image) {
  float inverse[3];
  for (int c = 0; c < 3; ++c) inverse[c] = group.emission[c] / FixedPoint::kLargest;
  const int columns = group.x1 - group.x0 + 1, rows = group.y1 - group.y0 + 1;
  for (int row = int(threadIdx.x) / 32; row < rows; row += warps)
    for (int column = int(threadIdx.x) % 32; column < columns; column += 32) {
      const int at = row * Window::kStride + column;
      float sum[3];
      bool any = false;
      for (int c = 0; c < 3; ++c) {
        const int high = w.high[c][at], low = w.low[c][at];
        any = any || high != 0 || low != 0;
        sum[c] = FixedPoint::value(high, low, inverse[c]);
      }
      if (!any) continue;
      add_to_pixel(
          image + std::size_t(group.y0 + row) * std::size_t(width) + std::size_t(group.x0 + column),
          sum[0], sum[1], sum[2]);
      for (int c = 0; c < 3; ++c) w.high[c][at] = w.low[c][at] = 0;
    }
}

struct Tally {
  unsigned small = 0, medium = 0, large = 0;
  float radius_sum = 0, updates = 0, large_updates = 0;
};

// The tallies of a block's warps.
template <int kWarps>
struct BlockTally {
  Tally of[kWarps];

  // Adds up those of all threads of the block, which come together. Thousands of warps that add to
  // the same six counters wait for one another: a thread of each block does.
  __device__ void add(Tally t, RunCounters* counters) {
    for (int d = 16; d > 0; d /= 2) {
      t.small += __shfl_down_sync(~0u, t.small, d);
      t.medium += __shfl_down_sync(~0u, t.medium, d);
      t.large += __shfl_down_sync(~0u, t.large, d);
      t.radius_sum += __shfl_down_sync(~0u, t.radius_sum, d);
      t.updates += __shfl_down_sync(~0u, t.updates, d);
      t.large_updates += __shfl_down_sync(~0u, t.large_updates, d);
    }
    if (threadIdx.x % 32 == 0) of[threadIdx.x / 32] = t;
    __syncthreads();
    const auto add_up = [&](auto Tally::*part, auto& to) {
      auto sum = decltype(+to){};
      for (const Tally& warp : of) sum += warp.*part;
      if (sum != 0) atomicAdd(&to, sum);
    };
    switch (threadIdx.x) {
      case 0:
        return add_up(&Tally::small, counters->small);
      case 1:
        return add_up(&Tally::medium, counters->medium);
      case 2:
        return add_up(&Tally::large, counters->large);
      case 3:
        return add_up(&Tally::radius_sum, counters->radius_sum);
      case 4:
        return add_up(&Tally::updates, counters->updates);
      case 5:
        return add_up(&Tally::large_updates, counters->large_updates);
    }
  }
};

}  // namespace haloscope::compute::splotch
