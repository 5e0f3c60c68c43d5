#include "compute/splotch/runs_cuda.cuh"
#include "compute/splotch/window.cuh"

namespace haloscope::compute::splotch {

namespace {

// Many small blocks: while one waits at a barrier, the others work.
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kBlocksPerMultiprocessor = 4;
constexpr int kBatch = 32;  // runs that a block takes at once: one per lane when culling
constexpr int kSlices = kRun / 32;
// Splats up to this radius are drawn at once, one lane each; beyond, they go to the tile pass,
// which takes a splat for a disc of its radius and so cannot draw the integrated kernel.
constexpr float kLaneRadius = FluxProfile::kIntegratedRadius;

// Splats waiting to be drawn one per lane. Only some lanes of a warp make one at a time: collecting
// them keeps all lanes busy when they are drawn.
struct Queue {
  WideSplat waiting[64];
};

// What a block agrees on while it works on a batch of runs.
struct SharedState {
  Window window;
  Queue queues[kWarps];
  unsigned first_run;  // of the batch
  int runs[kBatch];    // of the group in work, within the batch
  int run_count;
  int next_slice;      // work queue within the group
  bool inside;         // the group fits the window
  int x0, y0, x1, y1;  // pixels that the group may touch, inclusive
  float emission[3];   // no splat of the group exceeds it, by channel
};

struct Tally {
  unsigned small = 0, medium = 0, large = 0;
  float radius_sum = 0, updates = 0, large_updates = 0;
};

// A warp's place in a list: it takes kPlaces at a time, so that the counter that all warps share is
// seldom asked. Places left over at the end are filled with splats that touch no pixel.
class ListWriter {
 public:
  static constexpr unsigned kPlaces = 128;

  // Called by all lanes; `mine` says whether this one has a splat to append.
  __device__ void append(bool mine, const Splat& s, WideSplat* list, unsigned capacity,
                         unsigned* count) {
    const unsigned mask = __ballot_sync(~0u, mine);
    if (mask == 0) return;
    const unsigned lane = threadIdx.x % 32, n = unsigned(__popc(mask));
    const unsigned rank = unsigned(__popc(mask & ((1u << lane) - 1)));
    unsigned at = next_ + rank;
    if (n > left_) {
      unsigned base = 0;
      if (lane == 0) base = atomicAdd(count, kPlaces);
      // The first splats fill up the old places.
      next_ = __shfl_sync(~0u, base, 0) - left_;
      if (rank >= left_) at = next_ + rank;
      left_ += kPlaces;
    }
    next_ += n;
    left_ -= n;
    put(mine && at < capacity ? at : kNowhere, s, list);
  }

  __device__ void finish(WideSplat* list, unsigned capacity) {
    Splat nothing{};
    nothing.ix = nothing.iy = -1000;
    for (unsigned first = 0; first < left_; first += 32) {
      const unsigned k = first + threadIdx.x % 32;
      put(k < left_ && next_ + k < capacity ? next_ + k : kNowhere, nothing, list);
    }
    left_ = 0;
  }

 private:
  static constexpr unsigned kNowhere = ~0u;

  __device__ static void put(unsigned at, const Splat& s, WideSplat* list) {
    if (at != kNowhere)
      list[at] = {s.ix, s.iy, s.fx, s.fy, s.radius, {s.emission[0], s.emission[1], s.emission[2]}};
  }

  unsigned next_ = 0, left_ = 0;  // the same in each lane
};

__device__ Splat to_splat(const WideSplat& s) {
  return {s.ix, s.iy, s.fx, s.fy, s.radius, {s.emission[0], s.emission[1], s.emission[2]}, 0};
}

struct Writers {
  ListWriter wide, large;
};

// One warp's work on 32 particles of a run, one per lane.
template <Mode M>
class SliceDrawer {
 public:
  __device__ SliceDrawer(const RunsTask& task, const Target& target, Queue& queue, Writers& writers,
                         Tally& tally)
      : task_(task), target_(target), queue_(queue), writers_(writers), tally_(tally) {}

  __device__ void draw(Class c, const Splat& s) {
    using P = Profile<M>;
    count(c, s);
    const bool medium = c == Class::Medium || c == Class::Large;
    const bool wide = medium && s.radius > kLaneRadius;
    const bool for_large_list = wide && c == Class::Large && task_.large;
    writers_.wide.append(wide && !for_large_list, s, task_.wide, task_.wide_capacity,
                         &task_.counters->wide);
    if (task_.large)
      writers_.large.append(for_large_list, s, task_.large, task_.large_capacity,
                            &task_.counters->large_listed);
    if (task_.lists_only) return;
    __syncwarp();

    const bool small = c == Class::Small;
    if (__any_sync(~0u, small)) {
      const float w = small ? P::small_weight(-s.fx, -s.fy, s.radius) : 0.f;
      float r = w * s.emission[0], g = w * s.emission[1], b = w * s.emission[2];
      const int key = small ? s.iy * target_.width + s.ix : -1 - int(threadIdx.x % 32u);
      if (sum_equal_neighbors(key, r, g, b) && small) target_.add(s.ix, s.iy, r, g, b);
    }
    enqueue(medium && !wide, s);
  }

  // Draws what still waits; call before the target changes.
  __device__ void finish() {
    const int lane = int(threadIdx.x % 32u);
    __syncwarp();
    if (lane < waiting_) draw_by_lane<Profile<M>>(to_splat(queue_.waiting[lane]), target_);
    __syncwarp();
    waiting_ = 0;
  }

 private:
  __device__ void count(Class c, const Splat& s) {
    tally_.small += c == Class::Small;
    tally_.medium += c == Class::Medium;
    tally_.large += c == Class::Large;
    if (c == Class::Inactive) return;
    const float updates = smaller(larger(1.f, 3.14159265f * s.radius * s.radius),
                                  float(target_.width) * float(target_.height));
    tally_.radius_sum += s.radius;
    tally_.updates += updates;
    if (c == Class::Large) tally_.large_updates += updates;
  }

  __device__ void enqueue(bool mine, const Splat& s) {
    const int lane = int(threadIdx.x % 32u);
    const unsigned mask = __ballot_sync(~0u, mine);
    if (mask == 0) return;
    if (mine)
      queue_.waiting[waiting_ + __popc(mask & ((1u << lane) - 1))] = {
          s.ix, s.iy, s.fx, s.fy, s.radius, {s.emission[0], s.emission[1], s.emission[2]}};
    waiting_ += __popc(mask);
    __syncwarp();
    if (waiting_ < 32) return;
    waiting_ -= 32;
    draw_by_lane<Profile<M>>(to_splat(queue_.waiting[waiting_ + lane]), target_);
    __syncwarp();
  }

  const RunsTask& task_;
  const Target& target_;
  Queue& queue_;
  Writers& writers_;
  Tally& tally_;
  int waiting_ = 0;  // the same in each lane
};

// The pixels that a run may touch with splats of up to kLaneRadius.
struct Box {
  int x0, y0, x1, y1;
};

__device__ Box box_of(const RunBounds& b, int width, int height) {
  const float reach = smaller(b.reach, kLaneRadius) + 1.f;
  return {int(larger(floorf(b.x0 - reach), 0.f)), int(larger(floorf(b.y0 - reach), 0.f)),
          int(smaller(ceilf(b.x1 + reach), float(width - 1))),
          int(smaller(ceilf(b.y1 + reach), float(height - 1)))};
}

__device__ bool fits_window(const Box& b) {
  return b.x1 - b.x0 < Window::kSide && b.y1 - b.y0 < Window::kSide;
}

// The first warp picks the next runs to draw together: the first stretch of those left (`left`, a
// bit per lane) whose boxes fit one window, or all that fit none. Returns those still left.
__device__ unsigned next_group(SharedState& shared, unsigned left, unsigned fitting, const Box& box,
                               const float emission[3]) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned candidates = left & fitting;
  unsigned group;
  Box u = box;
  if (candidates) {
    const bool mine = candidates >> lane & 1;
    if (!mine) u = {1 << 30, 1 << 30, -(1 << 30), -(1 << 30)};
    // Inclusive scan of the boxes' unions in lane order.
    for (int d = 1; d < 32; d *= 2) {
      const Box v{__shfl_up_sync(~0u, u.x0, d), __shfl_up_sync(~0u, u.y0, d),
                  __shfl_up_sync(~0u, u.x1, d), __shfl_up_sync(~0u, u.y1, d)};
      if (int(lane) >= d) u = {min(u.x0, v.x0), min(u.y0, v.y0), max(u.x1, v.x1), max(u.y1, v.y1)};
    }
    const bool empty = u.x1 < u.x0;
    const unsigned together = __ballot_sync(~0u, empty || fits_window(u));
    // The scan's unions only grow: those that fit are the first lanes.
    const unsigned prefix = together == ~0u ? ~0u : (1u << (__ffs(int(~together)) - 1)) - 1;
    group = candidates & prefix;
    const int last = 31 - __clz(int(group));
    u = {__shfl_sync(~0u, u.x0, last), __shfl_sync(~0u, u.y0, last), __shfl_sync(~0u, u.x1, last),
         __shfl_sync(~0u, u.y1, last)};
  } else {
    group = left;
  }
  for (int c = 0; c < 3; ++c) {
    float largest = group >> lane & 1 ? emission[c] : 0.f;
    for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
    if (lane == 0) shared.emission[c] = largest;
  }
  if (group >> lane & 1) shared.runs[__popc(group & ((1u << lane) - 1))] = int(lane);
  if (lane == 0) {
    shared.run_count = __popc(group);
    shared.next_slice = 0;
    shared.inside = candidates != 0;
    shared.x0 = u.x0, shared.y0 = u.y0, shared.x1 = u.x1, shared.y1 = u.y1;
  }
  return left & ~group;
}

__device__ float window_scale(const SharedState& shared, int channel) {
  const float largest = shared.emission[channel];
  return largest > 0 ? FixedPoint::kLargest / largest : 0.f;
}

__device__ void flush(SharedState& shared, int width, float4* image) {
  Window& w = shared.window;
  float inverse[3];
  for (int c = 0; c < 3; ++c) inverse[c] = shared.emission[c] / FixedPoint::kLargest;
  const int columns = shared.x1 - shared.x0 + 1, rows = shared.y1 - shared.y0 + 1;
  for (int row = int(threadIdx.x) / 32; row < rows; row += kWarps)
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
      add_to_pixel(image + std::size_t(shared.y0 + row) * std::size_t(width) +
                       std::size_t(shared.x0 + column),
                   sum[0], sum[1], sum[2]);
      for (int c = 0; c < 3; ++c) w.high[c][at] = w.low[c][at] = 0;
    }
}

__device__ void add_tally(const Tally& t, RunCounters* counters) {
  unsigned n[3] = {t.small, t.medium, t.large};
  float sums[3] = {t.radius_sum, t.large_updates, t.updates};
  for (int d = 16; d > 0; d /= 2) {
    for (auto& v : n) v += __shfl_down_sync(~0u, v, d);
    for (auto& v : sums) v += __shfl_down_sync(~0u, v, d);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&counters->small, (unsigned long long)n[0]);
  atomicAdd(&counters->medium, (unsigned long long)n[1]);
  atomicAdd(&counters->large, (unsigned long long)n[2]);
  atomicAdd(&counters->radius_sum, double(sums[0]));
  atomicAdd(&counters->large_updates, double(sums[1]));
  atomicAdd(&counters->updates, double(sums[2]));
}

// The label of a particle, read ahead with it; nothing where there are none, so that the kernel
// without labels has no register for it.
template <bool Labeled>
struct ReadLabel {
  __device__ void read(const Columns&, std::uint64_t) {}
  __device__ NoTint tint(const Shading&) const { return {}; }
};
template <>
struct ReadLabel<true> {
  std::uint8_t label = 0;
  __device__ void read(const Columns& columns, std::uint64_t i) { label = columns.label[i]; }
  __device__ StoredTint tint(const Shading& s) const { return s.tints[label]; }
};

// Draws the group of runs in shared.runs, 32 particles per warp at a time.
template <Mode M, bool Labeled>
__device__ void draw_group(const Projector<Real<M>>& projector, const Layer& layer,
                           const RunsTask& task, SharedState& shared, Writers& writers,
                           Tally& tally) {
  Target target{};
  target.window = shared.inside ? &shared.window : nullptr;
  target.scale = window_scale(shared, 0);
  target.x = shared.x0, target.y = shared.y0;
  target.image = task.image;
  target.width = projector.width, target.height = projector.height;
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  SliceDrawer<M> drawer(task, target, shared.queues[warp], writers, tally);
  const int slices = shared.run_count * kSlices;
  auto index = [&](int slice) {
    return (std::uint64_t(shared.first_run) + std::uint64_t(shared.runs[slice / kSlices])) * kRun +
           std::uint64_t(slice % kSlices * 32 + lane);
  };
  const std::uint64_t last = layer.columns.count - 1;
  auto take = [&] {
    int slice = 0;
    if (lane == 0) slice = atomicAdd(&shared.next_slice, 1);
    return __shfl_sync(~0u, slice, 0);
  };
  int slice = take();
  std::uint64_t i = 0;
  Particle next{};
  ReadLabel<Labeled> next_label;
  auto fetch = [&] {
    if (slice >= slices) return;
    i = index(slice);
    next = load_particle(layer.columns, i < last ? i : last);
    next_label.read(layer.columns, i < last ? i : last);
  };
  fetch();
  while (slice < slices) {
    const Particle particle = next;
    const ReadLabel<Labeled> label = next_label;
    const bool exists = i <= last;
    slice = take();
    fetch();
    Splat s{};
    const Class c = exists ? make_splat<M>(projector, particle, layer.shading, task.large_radius, s,
                                           label.tint(layer.shading))
                           : Class::Inactive;
    drawer.draw(c, s);
  }
  drawer.finish();
}

// Persistent blocks take batches of runs until none is left.
template <Mode M, bool Labeled>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    draw_runs_kernel(const __grid_constant__ Projector<Real<M>> projector,
                     const __grid_constant__ Layer layer, const __grid_constant__ RunsTask task) {
  extern __shared__ __align__(16) unsigned char raw[];
  auto& shared = *reinterpret_cast<SharedState*>(raw);
  for (int i = int(threadIdx.x); i < int(sizeof(Window) / sizeof(int)); i += kThreads)
    (&shared.window.high[0][0])[i] = 0;
  Tally tally;
  Writers writers;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0)
      shared.first_run = atomicAdd(&task.counters->next_batch, 1u) * unsigned(kBatch);
    __syncthreads();
    if (shared.first_run >= task.run_count) break;

    unsigned left = 0, fitting = 0;
    Box box{};
    float emission[3] = {};
    if (threadIdx.x < 32) {
      const unsigned run = shared.first_run + threadIdx.x;
      RunBounds bounds{};
      if (run < task.run_count) bounds = bound_run<M>(projector, layer.shading, task.runs[run]);
      box = box_of(bounds, projector.width, projector.height);
      left = __ballot_sync(~0u, bounds.visible);
      bool scalable = false;
      for (int c = 0; c < 3; ++c) {
        emission[c] = bounds.emission[c];
        scalable = scalable || emission[c] > 0;
      }
      for (const float e : emission) scalable = scalable && (e == 0 || (e > 1e-30f && e < 1e30f));
      // A run of none but wide splats draws nothing here, so any window does, or none.
      const bool all_wide = bounds.bounded && bounds.least_radius > kLaneRadius;
      fitting = __ballot_sync(~0u, !all_wide && bounds.visible && bounds.bounded && scalable &&
                                       fits_window(box) && box.x0 <= box.x1 && box.y0 <= box.y1);
    }
    for (;;) {
      if (threadIdx.x < 32) {
        if (threadIdx.x == 0) shared.run_count = 0;
        if (left) left = next_group(shared, left, fitting, box, emission);
      }
      __syncthreads();
      if (shared.run_count == 0) break;
      draw_group<M, Labeled>(projector, layer, task, shared, writers, tally);
      __syncthreads();
      if (shared.inside && !task.lists_only) flush(shared, projector.width, task.image);
      __syncthreads();
    }
  }
  writers.wide.finish(task.wide, task.wide_capacity);
  if (task.large) writers.large.finish(task.large, task.large_capacity);
  if (!task.lists_only) add_tally(tally, task.counters);
}

// One warp per run.
__global__ void make_runs_kernel(Columns columns, Run* runs, unsigned run_count) {
  const unsigned index = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (index >= run_count) return;
  const std::uint64_t last = columns.count - 1;
  Run run;
  for (int k = 0; k < kRun / 32; ++k) {
    const std::uint64_t i = std::uint64_t(index) * kRun + std::uint64_t(k * 32) + threadIdx.x % 32;
    const Particle p = load_particle(columns, i < last ? i : last);
    const std::uint32_t at[3] = {p.x, p.y, p.z};
    for (int a = 0; a < 3; ++a) {
      run.low[a] = min(run.low[a], at[a]);
      run.high[a] = max(run.high[a], at[a]);
    }
    run.min_radius = fminf(run.min_radius, p.radius);
    run.max_radius = fmaxf(run.max_radius, p.radius);
    run.max_weight = fmaxf(run.max_weight, fabsf(p.weight));
  }
  for (int d = 16; d > 0; d /= 2) {
    for (int a = 0; a < 3; ++a) {
      run.low[a] = min(run.low[a], __shfl_down_sync(~0u, run.low[a], d));
      run.high[a] = max(run.high[a], __shfl_down_sync(~0u, run.high[a], d));
    }
    run.min_radius = fminf(run.min_radius, __shfl_down_sync(~0u, run.min_radius, d));
    run.max_radius = fmaxf(run.max_radius, __shfl_down_sync(~0u, run.max_radius, d));
    run.max_weight = fmaxf(run.max_weight, __shfl_down_sync(~0u, run.max_weight, d));
  }
  if (threadIdx.x % 32 == 0) runs[index] = run;
}

}  // namespace

void make_runs(Cuda& exec, const Columns& columns, Run* runs) {
  if (columns.count == 0) return;
  const NamedRange range("bounding runs of particles");
  const unsigned count = unsigned((columns.count + kRun - 1) / kRun);
  make_runs_kernel<<<(count + 7) / 8, 256, 0, exec.stream()>>>(columns, runs, count);
  check_cuda(cudaGetLastError(), "bounding runs of particles");
}

bool can_draw_runs(const Cuda& exec) {
  return exec.block_shared_memory() >= sizeof(SharedState);
}

template <Mode M, bool Labeled>
static void launch_runs(Cuda& exec, const Projector<Real<M>>& projector, const Layer& layer,
                        const RunsTask& task) {
  const auto kernel = draw_runs_kernel<M, Labeled>;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(sizeof(SharedState))),
             "asking for shared memory");
  int blocks = 0;
  check_cuda(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kThreads, sizeof(SharedState)),
      "asking for occupancy");
  const unsigned batches = (task.run_count + kBatch - 1) / kBatch;
  const unsigned grid = min(batches, unsigned(max(1, blocks) * exec.multiprocessors()));
  kernel<<<grid, kThreads, sizeof(SharedState), exec.stream()>>>(projector, layer, task);
  check_cuda(cudaGetLastError(), "small and medium particles");
}

template <Mode M>
void draw_runs(Cuda& exec, const Projector<Real<M>>& projector, const Layer& layer,
               const RunsTask& task) {
  if (task.run_count == 0) return;
  const NamedRange range("small and medium particles");
  exec.make_current();
  if constexpr (M == Mode::Default)
    if (layer.shading.tints) return launch_runs<M, true>(exec, projector, layer, task);
  launch_runs<M, false>(exec, projector, layer, task);
}

template void draw_runs<Mode::Classic>(Cuda&, const Projector<double>&, const Layer&,
                                       const RunsTask&);
template void draw_runs<Mode::Default>(Cuda&, const Projector<float>&, const Layer&,
                                       const RunsTask&);

}  // namespace haloscope::compute::splotch
