#include "compute/exec/side_stream.cuh"
#include "compute/exec/warp.cuh"
#include "compute/splotch/narrow_splats.cuh"
#include "compute/splotch/run_groups.cuh"

#include <thrust/scan.h>

namespace haloscope::compute::splotch {

namespace {

// The pixels that a run may touch with splats of up to `most`, which are not listed. A splat of the
// integrated kernel reaches half a pixel beyond its support, and one more where it has fewer
// columns than rows, or the other way round.
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

// What is known of a run before its particles are read.
struct BoundedRun {
  bool visible = false;
  bool plain = false, windowed = false;  // all windowed ones are plain
  bool may_fit = false;                  // a window holds its splats if their box is small enough
  Box box{};
  float emission[3] = {};
  float min_radius = 3e38f, max_radius = 0;  // stored ones

  __device__ bool close() const { return windowed && fits_window(box, kCloseSide); }
};

template <Mode M>
__device__ BoundedRun bound(const Projector<Real<M>>& projector, const Layer& layer,
                            const RunsTask& task, unsigned index) {
  BoundedRun out;
  const Run run = task.runs[index];
  const RunBounds bounds = bound_run<M>(projector, layer.shading, run);
  out.min_radius = run.min_radius;
  out.max_radius = run.max_radius;
  out.visible = bounds.visible;
  bool scalable = false;
  for (int c = 0; c < 3; ++c) {
    out.emission[c] = bounds.emission[c];
    scalable = scalable || bounds.emission[c] > 0;
  }
  for (const float e : bounds.emission)
    scalable = scalable && (e == 0 || (e > 1e-30f && e < PackedRange::kBrightest));
  const bool bounded = bounds.visible && bounds.bounded && scalable;
  // Runs that are not full are others, so that each lane has a particle.
  out.plain = task.plain_apart && bounded && bounds.plain && bounds.emission[0] > kDimmestPlain &&
              run.max_weight <= kLikeWeights * run.min_weight &&
              (std::uint64_t(index) + 1) * kRun <= layer.columns.count;
  const float most = out.plain ? kNarrowRadius : kLaneRadius;
  const Box box = box_of(bounds, most, projector.width, projector.height);
  out.box = box;
  // A run of none but wide splats draws nothing into a window.
  out.may_fit = bounded && bounds.least_radius <= most && box.x0 <= box.x1 && box.y0 <= box.y1;
  out.windowed = out.plain && bounds.within && out.may_fit && fits_window(box, task.windowed_side);
  return out;
}

// Where a windowed run is sorted to: close ones, then scattered ones that fit a window together
// with any others of their tile, then larger ones; runs alike in brightness together; and tiles in
// Morton order, so that groups may go on into the next one.
__device__ unsigned bin_of(const BoundedRun& run, const RunOrder& order) {
  const Box& b = run.box;
  const int room = kLargeWindowSide - order.tile;
  const unsigned kind = run.close() ? 0u : fits_window(b, room) ? 1u : 2u;
  // The exponent of 4, modulo 4: alike() parts runs that are 256 times as bright.
  const unsigned brightness = __float_as_uint(run.emission[0]) >> 24 & 3;
  const unsigned last = (1u << order.tile_bits) - 1;
  const unsigned column = min(unsigned((b.x0 + b.x1) / 2 / order.tile), last);
  const unsigned row = min(unsigned((b.y0 + b.y1) / 2 / order.tile), last);
  unsigned morton = 0;
  for (int bit = 0; bit < order.tile_bits; ++bit)
    morton |= (column >> bit & 1) << 2 * bit | (row >> bit & 1) << (2 * bit + 1);
  return (kind * 4 + brightness) << 2 * order.tile_bits | morton;
}

// In place of a bin: of runs that are drawn without being sorted, and of all that cannot be seen.
constexpr unsigned kSparseRun = ~0u, kOtherRun = ~1u, kUnseenRun = ~2u;

__device__ void raise(unsigned& most, unsigned value) {
  const unsigned own = warp_maximum(value);
  // Most warps find that it is high enough.
  if (threadIdx.x % 32 == 0 && own > *static_cast<volatile unsigned*>(&most)) atomicMax(&most, own);
}

// `counters`: where the largest radius of all goes, and the smallest inverted.
template <class Counters>
__device__ void note_radii(const BoundedRun& run, Counters& counters) {
  const float least = fmaxf(run.min_radius, 0.f), most = fmaxf(run.max_radius, 0.f);
  raise(counters.most_radius, __float_as_uint(most));
  raise(counters.least_radius_inverted, ~__float_as_uint(least));
}

// The first of so many places in a list, for a warp.
__device__ unsigned take_places(unsigned count, ListCounts& counts) {
  unsigned first = 0;
  if (threadIdx.x % 32 == 0) first = atomicAdd(&counts.planned, count);
  return __shfl_sync(~0u, first, 0);
}

// Lists the runs of those lanes of a warp that `sparse` tells, from `first` on.
__device__ void put_sparse(const RunList& list, unsigned first, unsigned sparse, unsigned run) {
  const unsigned lane = threadIdx.x % 32;
  if (sparse >> lane & 1) list.runs[first + unsigned(__popc(sparse & ((1u << lane) - 1)))] = run;
}

// One thread per run: in which bin it is, and which of those there.
__global__ void bin_runs_kernel(const __grid_constant__ Projector<float> projector,
                                const __grid_constant__ Layer layer,
                                const __grid_constant__ RunsTask task) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  BoundedRun run;
  if (index < task.run_count) run = bound<Mode::Default>(projector, layer, task, index);
  note_radii(run, *task.counters);
  const unsigned bin = run.windowed  ? bin_of(run, task.order)
                       : run.plain   ? kSparseRun
                       : run.visible ? kOtherRun
                                     : kUnseenRun;
  const bool sorted = bin < task.order.bin_count;
  // Runs that follow one another lie near one another: many of a warp have one bin.
  const unsigned same = __match_any_sync(~0u, bin);
  const int first = __ffs(int(same)) - 1;
  unsigned rank = 0;
  if (sorted && int(lane) == first) rank = atomicAdd(&task.order.bins[bin], unsigned(__popc(same)));
  rank = __shfl_sync(~0u, rank, first) + unsigned(__popc(same & ((1u << lane) - 1)));
  if (index < task.run_count) task.order.places[index] = {bin, rank};
  if (const unsigned sparse = __ballot_sync(~0u, bin == kSparseRun)) {
    const RunList list = sparse_runs(task);
    put_sparse(list, take_places(unsigned(__popc(sparse)), *list.counts), sparse, index);
  }
}

__global__ void order_runs_kernel(RunOrder order, unsigned run_count) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= run_count) return;
  const RunOrder::Place place = order.places[index];
  if (place.bin < order.bin_count) order.runs[order.bins[place.bin] + place.rank] = index;
}

// The runs of a batch, a lane each, and which of them are of a kind.
struct BatchRuns {
  unsigned close = 0, scattered = 0, sparse = 0, others = 0;
  unsigned fitting = 0;  // of the others, those that fit a window
  BoundedRun own;
};

// Bounds the runs of a batch, a lane each; `index` is of the lane's run, if there is one.
template <Mode M>
__device__ BatchRuns bound_batch(const Projector<Real<M>>& projector, const Layer& layer,
                                 const RunsTask& task, bool exists, unsigned index) {
  BatchRuns out;
  if (exists) out.own = bound<M>(projector, layer, task, index);
  const BoundedRun& own = out.own;
  const bool close = own.close();
  out.close = __ballot_sync(~0u, close);
  out.scattered = __ballot_sync(~0u, own.windowed && !close);
  out.sparse = __ballot_sync(~0u, own.plain && !own.windowed);
  out.others = __ballot_sync(~0u, own.visible && !own.plain);
  out.fitting = __ballot_sync(~0u, own.may_fit && fits_window(own.box, Window::kSide));
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
  const float own = batch.own.emission[0], first = __shfl_sync(~0u, own, __ffs(int(left)) - 1);
  return left & __ballot_sync(~0u, own * kLikeRuns >= first && own <= first * kLikeRuns);
}

// Plans groups of the runs in `left`, by one warp: lane k gets group k in `own`. Returns how many.
template <bool Plain>
__device__ unsigned plan(const BatchRuns& batch, unsigned first_run, unsigned left,
                         unsigned fitting, int side, RunGroup& own) {
  unsigned count = 0;
  for (; left != 0; ++count) {
    const RunGroup group = next_group(first_run, Plain ? alike(batch, left) : left, fitting, side,
                                      batch.own.box, batch.own.emission);
    if (threadIdx.x % 32 == count) own = group;
    left &= ~group.runs;
  }
  return count;
}

__device__ void put_groups(const GroupList& list, unsigned first, unsigned count,
                           const RunGroup& own) {
  const unsigned lane = threadIdx.x % 32;
  if (lane < count) list.first[std::ptrdiff_t(first + lane) * list.step] = own;
}

// What the warps of a block agree on, so that one of them asks for places: each for itself would
// wait for all others of the grid, longer than planning takes.
struct PlannedByBlock {
  static constexpr unsigned kThreads = 256, kWarps = kThreads / 32, kLists = 3;
  unsigned places[kLists][kWarps];
  unsigned most_radius, least_radius_inverted;
};

// One warp per batch.
__global__ void __launch_bounds__(PlannedByBlock::kThreads)
    plan_plain_groups_kernel(const __grid_constant__ Projector<float> projector,
                             const __grid_constant__ Layer layer,
                             const __grid_constant__ RunsTask task, GroupList close,
                             GroupList scattered, RunList sparse) {
  __shared__ PlannedByBlock block;
  const unsigned first_run = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * unsigned(kBatch);
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const RunOrder& order = task.order;
  const unsigned count = order.runs ? order.bins[order.bin_count] : task.run_count;
  if (threadIdx.x == 0) block.most_radius = block.least_radius_inverted = 0;
  __syncthreads();
  const unsigned at = first_run + lane;
  const bool exists = at < count;
  const unsigned index = order.runs && exists ? order.runs[at] : at;
  BatchRuns batch = bound_batch<Mode::Default>(projector, layer, task, exists, index);
  if (order.runs)
    batch.sparse = 0;  // sorting has listed them, and told the radii
  else
    note_radii(batch.own, block);
  RunGroup own_close, own_scattered;
  const unsigned wanted[PlannedByBlock::kLists] = {
      plan<true>(batch, first_run, batch.close, ~0u, Window::kSide, own_close),
      plan<true>(batch, first_run, batch.scattered, ~0u, kLargeWindowSide, own_scattered),
      unsigned(__popc(batch.sparse))};
#pragma unroll
  for (unsigned k = 0; k < PlannedByBlock::kLists; ++k)
    if (lane == 0) block.places[k][warp] = wanted[k];
  __syncthreads();
  if (threadIdx.x < PlannedByBlock::kLists) {
    unsigned* const places = block.places[threadIdx.x];
    unsigned sum = 0;
    for (unsigned w = 0; w < PlannedByBlock::kWarps; ++w) {
      const unsigned own = places[w];
      places[w] = sum;
      sum += own;
    }
    ListCounts* const counts = threadIdx.x == 0   ? close.counts
                               : threadIdx.x == 1 ? scattered.counts
                                                  : sparse.counts;
    const unsigned first = sum > 0 ? atomicAdd(&counts->planned, sum) : 0;
    for (unsigned w = 0; w < PlannedByBlock::kWarps; ++w) places[w] += first;
  } else if (threadIdx.x == 32 && !order.runs) {
    atomicMax(&task.counters->most_radius, block.most_radius);
    atomicMax(&task.counters->least_radius_inverted, block.least_radius_inverted);
  }
  __syncthreads();
  put_groups(close, block.places[0][warp], wanted[0], own_close);
  put_groups(scattered, block.places[1][warp], wanted[1], own_scattered);
  put_sparse(sparse, block.places[2][warp], batch.sparse, index);
}

template <Mode M>
__global__ void plan_other_groups_kernel(const __grid_constant__ Projector<Real<M>> projector,
                                         const __grid_constant__ Layer layer,
                                         const __grid_constant__ RunsTask task, GroupList others) {
  const unsigned first_run = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * unsigned(kBatch);
  if (first_run >= task.run_count) return;
  others = behind_scattered(others, task);
  const unsigned lane = threadIdx.x % 32, index = first_run + lane;
  const bool exists = index < task.run_count;
  BatchRuns batch;
  if (task.order.runs) {
    // Sorting has told them apart.
    const unsigned bin = exists ? task.order.places[index].bin : kUnseenRun;
    if (!__any_sync(~0u, bin == kOtherRun)) return;
    batch = bound_batch<M>(projector, layer, task, exists, index);
    batch.others = __ballot_sync(~0u, bin == kOtherRun);
  } else {
    batch = bound_batch<M>(projector, layer, task, exists, index);
    // Else planning plain ones has told them.
    if (!task.plain_apart) note_radii(batch.own, *task.counters);
  }
  RunGroup own;
  const unsigned count =
      plan<false>(batch, first_run, batch.others, batch.fitting, Window::kSide, own);
  if (count > 0) put_groups(others, take_places(count, *others.counts), count, own);
}

constexpr unsigned kThreads = 128;
// Of so many threads, a warp per batch.
unsigned blocks_of(const RunsTask& task, unsigned threads) {
  const unsigned runs_of_block = threads / 32 * unsigned(kBatch);
  return (task.run_count + runs_of_block - 1) / runs_of_block;
}

}  // namespace

static void sort_runs(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                      const RunsTask& task) {
  const RunOrder& order = task.order;
  const std::size_t bins = std::size_t(order.bin_count) + 1;
  const unsigned blocks = (task.run_count + kThreads - 1) / kThreads;
  exec.zero(order.bins, bins * sizeof(unsigned));
  bin_runs_kernel<<<blocks, kThreads, 0, exec.stream()>>>(projector, layer, task);
  check_cuda(cudaGetLastError(), "sorting runs of particles");
  thrust::exclusive_scan(exec.policy(), order.bins, order.bins + bins, order.bins);
  order_runs_kernel<<<blocks, kThreads, 0, exec.stream()>>>(order, task.run_count);
  check_cuda(cudaGetLastError(), "sorting runs of particles");
}

void plan_plain_groups(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                       const RunsTask& task) {
  if (task.order.runs) sort_runs(exec, projector, layer, task);
  prefer_shared_memory<plan_plain_groups_kernel>(exec);
  constexpr unsigned kPlanThreads = PlannedByBlock::kThreads;
  plan_plain_groups_kernel<<<blocks_of(task, kPlanThreads), kPlanThreads, 0, exec.stream()>>>(
      projector, layer, task, list_of(task, GroupKind::Close), list_of(task, GroupKind::Scattered),
      sparse_runs(task));
  check_cuda(cudaGetLastError(), "grouping runs of particles");
}

template <Mode M>
void plan_other_groups(Cuda& exec, const Projector<Real<M>>& projector, const Layer& layer,
                       const RunsTask& task) {
  prefer_shared_memory<plan_other_groups_kernel<M>>(exec);
  plan_other_groups_kernel<M><<<blocks_of(task, kThreads), kThreads, 0, exec.stream()>>>(
      projector, layer, task, list_of(task, GroupKind::Others));
  check_cuda(cudaGetLastError(), "grouping runs of particles");
}

template void plan_other_groups<Mode::Classic>(Cuda&, const Projector<double>&, const Layer&,
                                               const RunsTask&);
template void plan_other_groups<Mode::Default>(Cuda&, const Projector<float>&, const Layer&,
                                               const RunsTask&);

}  // namespace haloscope::compute::splotch
