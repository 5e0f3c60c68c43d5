#include "compute/exec/side_stream.cuh"
#include "compute/splotch/list_writer.cuh"
#include "compute/splotch/plain_runs.cuh"
#include "compute/splotch/run_groups.cuh"
#include "compute/splotch/runs_cuda.cuh"

namespace haloscope::compute::splotch {

namespace {

// Many small blocks: while one waits at a barrier, the others work.
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kBlocksPerMultiprocessor = 4;

// Splats waiting to be drawn one per lane. Only some lanes of a warp make one at a time: collecting
// them keeps all lanes busy when they are drawn.
struct Queue {
  WideSplat waiting[64];
};

struct SharedState {
  Window window;
  Queue queues[kWarps];
  GroupInWork work;
  unsigned next;
  unsigned widest;  // radius in the lists, as the bits of a float
  BlockTally<kWarps> tally;
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
                         Tally& tally, unsigned& widest)
      : task_(task),
        target_(target),
        queue_(queue),
        writers_(writers),
        tally_(tally),
        widest_(widest) {}

  __device__ void draw(Class c, const Splat& s) {
    using P = Profile<M>;
    count(c, s);
    const bool medium = c == Class::Medium || c == Class::Large;
    const bool wide = medium && s.radius > kLaneRadius;
    const bool for_large_list =
        wide && (task_.large_apart ? c == Class::Large : task_.wide.packed && !can_pack(s));
    note_radius(wide, s.radius, widest_);
    writers_.wide.append(wide && !for_large_list, s, task_.wide, &task_.counters->wide);
    writers_.large.append(for_large_list, s, task_.large, &task_.counters->large_listed);
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
  unsigned& widest_;
  int waiting_ = 0;  // the same in each lane
};

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

// Draws the group of runs in work, 32 particles per warp at a time.
template <Mode M, bool Labeled>
__device__ void draw_group(const Projector<Real<M>>& projector, const Layer& layer,
                           const RunsTask& task, SharedState& state, Writers& writers,
                           Tally& tally) {
  GroupInWork& work = state.work;
  const RunGroup& shared = work.group;
  Target target{};
  target.window = shared.inside ? &state.window : nullptr;
  target.scale = window_scale(shared, 0);
  target.x = shared.x0, target.y = shared.y0;
  target.image = task.image;
  target.width = projector.width, target.height = projector.height;
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  SliceDrawer<M> drawer(task, target, state.queues[warp], writers, tally, state.widest);
  const int slices = work.run_count * kSlices;
  auto index = [&](int slice) {
    return std::uint64_t(work.runs[slice / kSlices]) * kRun +
           std::uint64_t(slice % kSlices * 32 + lane);
  };
  const std::uint64_t last = layer.columns.count - 1;
  auto take = [&] {
    int slice = 0;
    if (lane == 0) slice = atomicAdd(&work.next_slice, 1);
    return __shfl_sync(~0u, slice, 0);
  };
  int slice = take();
  std::uint64_t i = 0;
  StoredParticle next{};
  ReadLabel<Labeled> next_label;
  auto fetch = [&] {
    if (slice >= slices) return;
    i = index(slice);
    next = load_stored(layer.columns, i < last ? i : last);
    next_label.read(layer.columns, i < last ? i : last);
  };
  fetch();
  while (slice < slices) {
    const StoredParticle stored = next;
    const ReadLabel<Labeled> label = next_label;
    const bool exists = i <= last;
    slice = take();
    fetch();
    const Particle particle = unpack(layer.columns, stored);
    Splat s{};
    const Class c = exists ? make_splat<M>(projector, particle, layer.shading, task.large_radius, s,
                                           label.tint(layer.shading))
                           : Class::Inactive;
    drawer.draw(c, s);
  }
  drawer.finish();
}

// Persistent blocks take groups of runs until none is left.
template <Mode M, bool Labeled>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    draw_runs_kernel(const __grid_constant__ Projector<Real<M>> projector,
                     const __grid_constant__ Layer layer, const __grid_constant__ RunsTask task,
                     GroupList list) {
  list = behind_scattered(list, task);
  const unsigned groups = list.counts->planned;
  if (blockIdx.x >= groups) return;
  extern __shared__ __align__(16) unsigned char raw[];
  auto& state = *reinterpret_cast<SharedState*>(raw);
  GroupInWork& work = state.work;
  for (int i = int(threadIdx.x); i < int(sizeof(Window) / sizeof(int)); i += kThreads)
    (&state.window.high[0][0])[i] = 0;
  if (threadIdx.x == 0) state.widest = 0;
  Tally tally;
  Writers writers;
  unsigned next = blockIdx.x;
  while (next < groups) {
    __syncthreads();
    if (threadIdx.x < 32) begin_group(work, list, next);
    __syncthreads();
    draw_group<M, Labeled>(projector, layer, task, state, writers, tally);
    __syncthreads();
    if (work.group.inside && !task.lists_only)
      flush(state.window, work.group, kWarps, projector.width, task.image);
    if (threadIdx.x == 0) state.next = gridDim.x + atomicAdd(&list.counts->taken, 1u);
    __syncthreads();
    next = state.next;
  }
  writers.wide.finish(task.wide);
  writers.large.finish(task.large);
  if (threadIdx.x == 0) atomicMax(&task.counters->widest, state.widest);
  if (!task.lists_only) state.tally.add(tally, task.counters);
}

static_assert(kRun == spatial::kPointBlock);  // so that a warp's particles share a block

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
    run.min_weight = fminf(run.min_weight, p.weight);
    run.max_weight = fmaxf(run.max_weight, fabsf(p.weight));
  }
  for (int d = 16; d > 0; d /= 2) {
    for (int a = 0; a < 3; ++a) {
      run.low[a] = min(run.low[a], __shfl_down_sync(~0u, run.low[a], d));
      run.high[a] = max(run.high[a], __shfl_down_sync(~0u, run.high[a], d));
    }
    run.min_radius = fminf(run.min_radius, __shfl_down_sync(~0u, run.min_radius, d));
    run.max_radius = fmaxf(run.max_radius, __shfl_down_sync(~0u, run.max_radius, d));
    run.min_weight = fminf(run.min_weight, __shfl_down_sync(~0u, run.min_weight, d));
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

std::size_t bytes_of_groups(std::size_t run_count) {
  return run_count * (sizeof(RunGroup) + sizeof(unsigned));
}

bool can_draw_runs(const Cuda& exec) {
  return exec.block_shared_memory() >= sizeof(SharedState);
}

template <Mode M, bool Labeled>
static void launch_runs(Cuda& exec, const Projector<Real<M>>& projector, const Layer& layer,
                        const RunsTask& task) {
  constexpr auto kKernel = draw_runs_kernel<M, Labeled>;
  prefer_shared_memory<kKernel>(exec, sizeof(SharedState));
  int blocks = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kKernel, kThreads,
                                                           sizeof(SharedState)),
             "asking for occupancy");
  const unsigned grid = min(task.run_count, unsigned(max(1, blocks) * exec.multiprocessors()));
  kKernel<<<grid, kThreads, sizeof(SharedState), exec.stream()>>>(projector, layer, task,
                                                                  list_of(task, GroupKind::Others));
  check_cuda(cudaGetLastError(), "small and medium particles");
}

template <Mode M>
void draw_runs(Cuda& exec, const Projector<Real<M>>& projector, const Layer& layer,
               const RunsTask& task, SideStream& side, const std::function<void()>& binned) {
  if (task.run_count == 0) return;
  const NamedRange range("small and medium particles");
  exec.make_current();
  if constexpr (M == Mode::Default)
    if (task.plain_apart) {
      draw_plain_runs(exec, projector, layer, task, side);
      binned();
    }
  if (!task.plain_apart) plan_other_groups<M>(exec, projector, layer, task);
  if constexpr (M == Mode::Default) {
    if (layer.shading.tints) return launch_runs<M, true>(exec, projector, layer, task);
  }
  launch_runs<M, false>(exec, projector, layer, task);
}

template void draw_runs<Mode::Classic>(Cuda&, const Projector<double>&, const Layer&,
                                       const RunsTask&, SideStream&, const std::function<void()>&);
template void draw_runs<Mode::Default>(Cuda&, const Projector<float>&, const Layer&,
                                       const RunsTask&, SideStream&, const std::function<void()>&);

}  // namespace haloscope::compute::splotch
