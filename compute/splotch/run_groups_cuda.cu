#include "compute/exec/warp.cuh"
#include "compute/splotch/run_groups.cuh"

namespace haloscope::compute::splotch {

namespace {

// The pixels that a run may touch with splats of up to `most`, which are not listed.
struct Box {
  int x0, y0, x1, y1;
};

__device__ Box box_of(const RunBounds& b, float most, int width, int height) {
  const float reach = smaller(b.reach, most) + 1.f;
  return {int(larger(floorf(b.x0 - reach), 0.f)), int(larger(floorf(b.y0 - reach), 0.f)),
          int(smaller(ceilf(b.x1 + reach), float(width - 1))),
          int(smaller(ceilf(b.y1 + reach), float(height - 1)))};
}

__device__ bool fits_window(const Box& b, int side) {
  return b.x1 - b.x0 < side && b.y1 - b.y0 < side;
}

// Runs of boxes up to so many pixels are close.
constexpr int kCloseSide = 20;
// Plain groups round light to steps of the brightest splat they may have: weights of a run are
// within this factor, and the brightest splats of their runs within this factor of the first one's.
constexpr float kLikeWeights = 8, kLikeRuns = 4;
// Splats that are 8000 times fainter than their run's bound keep their bits in a PackedSplat.
constexpr float kDimmestPlain = 8192 * PackedRange::kDimmest;

// The runs of a batch, a lane each, and which of them are of a kind.
struct BatchRuns {
  unsigned close = 0, scattered = 0, sparse = 0, others = 0;
  unsigned fitting = 0;  // of the others, those that fit a window
  Box box{};
  float emission[3] = {};
  float min_radius = 3e38f, max_radius = 0;  // stored ones
};

// Bounds the runs of a batch, a lane each.
template <Mode M>
__device__ BatchRuns bound_batch(const Projector<Real<M>>& projector, const Layer& layer,
                                 const RunsTask& task, unsigned first_run) {
  BatchRuns out;
  const unsigned index = first_run + threadIdx.x % 32;
  RunBounds bounds{};
  Run run;
  if (index < task.run_count) {
    run = task.runs[index];
    out.min_radius = run.min_radius;
    out.max_radius = run.max_radius;
    bounds = bound_run<M>(projector, layer.shading, run);
  }
  const Box box = box_of(bounds, kLaneRadius, projector.width, projector.height);
  out.box = box;
  bool scalable = false;
  for (int c = 0; c < 3; ++c) {
    out.emission[c] = bounds.emission[c];
    scalable = scalable || bounds.emission[c] > 0;
  }
  for (const float e : bounds.emission)
    scalable = scalable && (e == 0 || (e > 1e-30f && e < PackedRange::kBrightest));
  const bool bounded = bounds.visible && bounds.bounded && scalable;
  // A run of none but wide splats draws nothing into a window.
  const bool may_fit =
      bounded && bounds.least_radius <= kLaneRadius && box.x0 <= box.x1 && box.y0 <= box.y1;
  // Runs that are not full are others, so that each lane has a particle.
  const bool plain = task.plain_apart && bounded && bounds.plain &&
                     bounds.emission[0] > kDimmestPlain &&
                     run.max_weight <= kLikeWeights * run.min_weight &&
                     (std::uint64_t(index) + 1) * kRun <= layer.columns.count;
  const bool windowed = plain && bounds.within && may_fit;
  const bool close = windowed && fits_window(box, kCloseSide);
  const bool scattered = windowed && !close && fits_window(box, kLargeWindowSide);
  out.close = __ballot_sync(~0u, close);
  out.scattered = __ballot_sync(~0u, scattered);
  out.sparse = __ballot_sync(~0u, plain && !close && !scattered);
  out.others = __ballot_sync(~0u, bounds.visible && !plain);
  out.fitting = __ballot_sync(~0u, may_fit && fits_window(box, Window::kSide));
  return out;
}

// Picks the next runs to draw together: the first stretch of those left (`left`, a bit per lane)
// whose boxes fit one window, or all that fit none.
__device__ RunGroup next_group(unsigned first_run, unsigned left, unsigned fitting, int side,
                               const Box& box, const float emission[3]) {
  RunGroup out;
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
    const unsigned together = __ballot_sync(~0u, empty || fits_window(u, side));
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
    out.emission[c] = largest;
  }
  out.first_run = first_run;
  out.runs = group;
  out.inside = candidates != 0;
  out.x0 = u.x0, out.y0 = u.y0, out.x1 = u.x1, out.y1 = u.y1;
  return out;
}

// Which of the runs in `left` are as bright as the first of them.
__device__ unsigned alike(const BatchRuns& batch, unsigned left) {
  const float own = batch.emission[0], first = __shfl_sync(~0u, own, __ffs(int(left)) - 1);
  return left & __ballot_sync(~0u, own * kLikeRuns >= first && own <= first * kLikeRuns);
}

// Appends groups of the runs in `left` to a list, by one warp.
template <bool Plain>
__device__ void plan(const BatchRuns& batch, unsigned first_run, unsigned left, unsigned fitting,
                     int side, const GroupList& list) {
  while (left != 0) {
    const RunGroup group = next_group(first_run, Plain ? alike(batch, left) : left, fitting, side,
                                      batch.box, batch.emission);
    if (threadIdx.x % 32 == 0) {
      const unsigned place = atomicAdd(&list.counts->planned, 1u);
      list.first[std::ptrdiff_t(place) * list.step] = group;
    }
    left &= ~group.runs;
  }
}

// One warp per batch.
__global__ void plan_plain_groups_kernel(const __grid_constant__ Projector<float> projector,
                                         const __grid_constant__ Layer layer,
                                         const __grid_constant__ RunsTask task, GroupList close,
                                         GroupList scattered) {
  const unsigned first_run = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * unsigned(kBatch);
  if (first_run >= task.run_count) return;
  const BatchRuns batch = bound_batch<Mode::Default>(projector, layer, task, first_run);
  plan<true>(batch, first_run, batch.close, ~0u, Window::kSide, close);
  plan<true>(batch, first_run, batch.scattered, ~0u, kLargeWindowSide, scattered);
}

__device__ void raise(unsigned& most, unsigned value) {
  const unsigned own = warp_maximum(value);
  // Most warps find that it is high enough.
  if (threadIdx.x % 32 == 0 && own > *static_cast<volatile unsigned*>(&most)) atomicMax(&most, own);
}

__device__ void note_radii(const BatchRuns& batch, RunCounters& counters) {
  const float least = fmaxf(batch.min_radius, 0.f), most = fmaxf(batch.max_radius, 0.f);
  raise(counters.most_radius, __float_as_uint(most));
  raise(counters.least_radius_inverted, ~__float_as_uint(least));
}

template <Mode M>
__global__ void plan_other_groups_kernel(const __grid_constant__ Projector<Real<M>> projector,
                                         const __grid_constant__ Layer layer,
                                         const __grid_constant__ RunsTask task, GroupList sparse,
                                         GroupList others) {
  const unsigned first_run = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * unsigned(kBatch);
  if (first_run >= task.run_count) return;
  const BatchRuns batch = bound_batch<M>(projector, layer, task, first_run);
  note_radii(batch, *task.counters);
  plan<false>(batch, first_run, batch.sparse, 0, 0, sparse);
  plan<false>(batch, first_run, batch.others, batch.fitting, Window::kSide, others);
}

constexpr unsigned kThreads = 128;
unsigned blocks_of(const RunsTask& task) {
  constexpr unsigned kRunsOfBlock = kThreads / 32 * unsigned(kBatch);
  return (task.run_count + kRunsOfBlock - 1) / kRunsOfBlock;
}

}  // namespace

void plan_plain_groups(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                       const RunsTask& task) {
  plan_plain_groups_kernel<<<blocks_of(task), kThreads, 0, exec.stream()>>>(
      projector, layer, task, list_of(task, GroupKind::Close), list_of(task, GroupKind::Scattered));
  check_cuda(cudaGetLastError(), "grouping runs of particles");
}

template <Mode M>
void plan_other_groups(Cuda& exec, const Projector<Real<M>>& projector, const Layer& layer,
                       const RunsTask& task) {
  plan_other_groups_kernel<M><<<blocks_of(task), kThreads, 0, exec.stream()>>>(
      projector, layer, task, list_of(task, GroupKind::Sparse), list_of(task, GroupKind::Others));
  check_cuda(cudaGetLastError(), "grouping runs of particles");
}

template void plan_other_groups<Mode::Classic>(Cuda&, const Projector<double>&, const Layer&,
                                               const RunsTask&);
template void plan_other_groups<Mode::Default>(Cuda&, const Projector<float>&, const Layer&,
                                               const RunsTask&);

}  // namespace haloscope::compute::splotch
