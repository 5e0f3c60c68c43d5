#include "compute/splotch/pixel_atomics.cuh"
#include "compute/splotch/runs_cuda.cuh"

namespace haloscope::compute::splotch {

namespace {

constexpr int kThreads = kRun;
constexpr int kWarps = kThreads / 32;
constexpr int kBatch = 32;   // runs that a block takes at once: one per lane when culling
constexpr int kWindow = 64;  // pixels
constexpr int kStride = 72;  // 8 banks per row: an 8 × 4 patch of pixels meets no bank twice
constexpr int kPlane = kWindow * kStride;
// Footprints up to this radius are drawn by one lane each; beyond, by a whole warp.
constexpr float kLaneRadius = 3.f;
// Beyond this radius a splat goes to the tile pass.
constexpr float kWideRadius = 8.f;
// The same in runs that do not fit the window. Not below FluxProfile::kIntegratedRadius: the tile
// pass takes a splat for a disc of its radius.
constexpr float kWideRadiusOutside = 3.f;

// A moving window of the image in shared memory. Runs follow one another in Morton order, so the
// window seldom moves, and most additions never leave the chip.
struct Window {
  float plane[3][kPlane];
  int x, y;            // its first pixel
  int x0, y0, x1, y1;  // touched since the last flush, inclusive, image coordinates
};

struct SharedState {
  Window window;
  RunBounds bounds[kBatch];
  unsigned int batch;
};

__device__ void flush(Window& w, int width, int height, float4* image) {
  const int x0 = max(w.x0, 0), y0 = max(w.y0, 0);
  const int x1 = min(w.x1, width - 1), y1 = min(w.y1, height - 1);
  const int columns = x1 - x0 + 1, rows = y1 - y0 + 1;
  if (columns > 0 && rows > 0)
    for (int row = int(threadIdx.x) / 32; row < rows; row += kWarps)
      for (int column = int(threadIdx.x) % 32; column < columns; column += 32) {
        const int at = (y0 + row - w.y) * kStride + (x0 + column - w.x);
        const float r = w.plane[0][at], g = w.plane[1][at], b = w.plane[2][at];
        if (r != 0 || g != 0 || b != 0) {
          add_to_pixel(
              image + std::size_t(y0 + row) * std::size_t(width) + std::size_t(x0 + column), r, g,
              b);
          w.plane[0][at] = 0;
          w.plane[1][at] = 0;
          w.plane[2][at] = 0;
        }
      }
}

// Sums values of consecutive lanes with equal keys into the first of them; returns whether this
// lane is such a first one.
__device__ bool sum_equal_neighbors(int key, float& r, float& g, float& b) {
  const unsigned lane = threadIdx.x % 32;
  const int previous = __shfl_up_sync(~0u, key, 1);
  const bool head = lane == 0 || previous != key;
  const unsigned heads = __ballot_sync(~0u, head);
  if (heads == ~0u) return true;
  const unsigned later = lane == 31 ? 0u : heads >> (lane + 1);
  const unsigned end = later ? lane + unsigned(__ffs(int(later))) : 32u;
  for (unsigned d = 1; d < 32; d *= 2) {
    const float r2 = __shfl_down_sync(~0u, r, d);
    const float g2 = __shfl_down_sync(~0u, g, d);
    const float b2 = __shfl_down_sync(~0u, b, d);
    if (lane + d < end) {
      r += r2;
      g += g2;
      b += b2;
    }
  }
  return head;
}

// Where additions go: the window, or the image itself when the run does not fit the window.
struct Target {
  Window* window;  // null: straight to the image
  float4* image;
  int width, height;

  __device__ void add(int x, int y, float r, float g, float b) const {
    if (window) {
      const int at = (y - window->y) * kStride + (x - window->x);
      atomicAdd(&window->plane[0][at], r);
      atomicAdd(&window->plane[1][at], g);
      atomicAdd(&window->plane[2][at], b);
    } else {
      add_to_pixel(image + std::size_t(y) * std::size_t(width) + std::size_t(x), r, g, b);
    }
  }
};

__device__ void append(const Splat& s, WideSplat* list, unsigned capacity, unsigned* count) {
  // One atomic per group of lanes that append together.
  const unsigned mask = __activemask();
  const unsigned lane = threadIdx.x % 32;
  const int leader = __ffs(int(mask)) - 1;
  unsigned base = 0;
  if (int(lane) == leader) base = atomicAdd(count, unsigned(__popc(mask)));
  base = __shfl_sync(mask, base, leader) + unsigned(__popc(mask & ((1u << lane) - 1)));
  if (base >= capacity) return;
  list[base] = {s.ix, s.iy, s.fx, s.fy, s.radius, {s.emission[0], s.emission[1], s.emission[2]}};
}

template <class P>
__device__ void draw_by_lane(const Splat& s, const Target& target) {
  const float extent = P::extent(s.radius);
  const PixelRange columns = pixel_range(s.ix, s.fx, extent, 0, target.width);
  const PixelRange rows = pixel_range(s.iy, s.fy, extent, 0, target.height);
  const int height = rows.last - rows.first + 1;
  if (height <= 0) return;
  // Neighboring lanes hold neighboring particles: let them start in different rows.
  int y = rows.first + int(threadIdx.x % 32u) % height;
  for (int j = 0; j < height; ++j) {
    const float dy = float(y - s.iy) - s.fy;
    for (int x = columns.first; x <= columns.last; ++x) {
      const float w = P::weight(float(x - s.ix) - s.fx, dy, s.radius);
      if (w > 0) target.add(x, y, w * s.emission[0], w * s.emission[1], w * s.emission[2]);
    }
    if (++y > rows.last) y = rows.first;
  }
}

// All lanes draw one splat, 8 × 4 pixels at a time; its values are the same in each lane.
template <class P>
__device__ void draw_by_warp(const Splat& s, const Target& target) {
  const float extent = P::extent(s.radius);
  const PixelRange columns = pixel_range(s.ix, s.fx, extent, 0, target.width);
  const PixelRange rows = pixel_range(s.iy, s.fy, extent, 0, target.height);
  const int lane = int(threadIdx.x % 32u);
  for (int y0 = rows.first; y0 <= rows.last; y0 += 4)
    for (int x0 = columns.first; x0 <= columns.last; x0 += 8) {
      const int x = x0 + lane % 8, y = y0 + lane / 8;
      if (x > columns.last || y > rows.last) continue;
      const float w = P::weight(float(x - s.ix) - s.fx, float(y - s.iy) - s.fy, s.radius);
      if (w > 0) target.add(x, y, w * s.emission[0], w * s.emission[1], w * s.emission[2]);
    }
}

__device__ Splat broadcast(const Splat& s, int lane) {
  Splat out;
  out.ix = __shfl_sync(~0u, s.ix, lane);
  out.iy = __shfl_sync(~0u, s.iy, lane);
  out.fx = __shfl_sync(~0u, s.fx, lane);
  out.fy = __shfl_sync(~0u, s.fy, lane);
  out.radius = __shfl_sync(~0u, s.radius, lane);
  for (int c = 0; c < 3; ++c) out.emission[c] = __shfl_sync(~0u, s.emission[c], lane);
  return out;
}

struct Tally {
  unsigned small = 0, medium = 0, large = 0, inactive = 0;
  float radius_sum = 0, updates = 0, large_updates = 0;
};

template <Mode M>
__device__ void draw_particle(const Projector<Real<M>>& projector, const Layer& layer,
                              const RunsTask& task, std::uint64_t i, const Target& target,
                              float wide_radius, Tally& tally) {
  using P = Profile<M>;
  Splat s{};
  const Class c = i < layer.columns.count ? make_splat<M>(projector, layer.columns, layer.shading,
                                                          task.large_radius, i, s)
                                          : Class::Inactive;
  tally.small += c == Class::Small;
  tally.medium += c == Class::Medium;
  tally.large += c == Class::Large;
  tally.inactive += c == Class::Inactive && i < layer.columns.count;
  float updates = 0;
  if (c != Class::Inactive) {
    tally.radius_sum += s.radius;
    updates = fminf(fmaxf(1.f, 3.14159265f * s.radius * s.radius),
                    float(target.width) * float(target.height));
    tally.updates += updates;
  }

  const bool medium = c == Class::Medium || c == Class::Large;
  const bool wide = medium && s.radius > wide_radius;
  if (wide) {
    if (c == Class::Large && task.large) {
      tally.large_updates +=
          fminf(3.14159265f * s.radius * s.radius, float(target.width) * float(target.height));
      append(s, task.large, task.large_capacity, &task.counters->large_listed);
    } else {
      append(s, task.wide, task.wide_capacity, &task.counters->wide);
    }
  }
  if (task.lists_only) return;
  __syncwarp();

  const bool small = c == Class::Small;
  if (__any_sync(~0u, small)) {
    const float w = small ? P::small_weight(-s.fx, -s.fy, s.radius) : 0.f;
    float r = w * s.emission[0], g = w * s.emission[1], b = w * s.emission[2];
    const int key = small ? s.iy * target.width + s.ix : -1 - int(threadIdx.x % 32u);
    if (sum_equal_neighbors(key, r, g, b) && small) target.add(s.ix, s.iy, r, g, b);
  }
  const bool by_lane = medium && !wide && s.radius <= kLaneRadius;
  if (by_lane) draw_by_lane<P>(s, target);
  __syncwarp();
  unsigned by_warp = __ballot_sync(~0u, medium && !wide && !by_lane);
  while (by_warp) {
    const int lane = __ffs(int(by_warp)) - 1;
    by_warp &= by_warp - 1;
    draw_by_warp<P>(broadcast(s, lane), target);
  }
}

__device__ void add_tally(const Tally& t, RunCounters* counters) {
  unsigned n[4] = {t.small, t.medium, t.large, t.inactive};
  float sums[3] = {t.radius_sum, t.large_updates, t.updates};
  for (int d = 16; d > 0; d /= 2) {
    for (auto& v : n) v += __shfl_down_sync(~0u, v, d);
    for (auto& v : sums) v += __shfl_down_sync(~0u, v, d);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&counters->small, (unsigned long long)n[0]);
  atomicAdd(&counters->medium, (unsigned long long)n[1]);
  atomicAdd(&counters->large, (unsigned long long)n[2]);
  atomicAdd(&counters->inactive, (unsigned long long)n[3]);
  atomicAdd(&counters->radius_sum, double(sums[0]));
  atomicAdd(&counters->large_updates, double(sums[1]));
  atomicAdd(&counters->updates, double(sums[2]));
}

// Persistent blocks take batches of runs until none is left.
template <Mode M>
__global__ void __launch_bounds__(kThreads, 4)
    draw_runs_kernel(const __grid_constant__ Projector<Real<M>> projector,
                     const __grid_constant__ Layer layer, const __grid_constant__ RunsTask task) {
  extern __shared__ unsigned char raw[];
  auto& shared = *reinterpret_cast<SharedState*>(raw);
  Window& window = shared.window;
  for (int i = int(threadIdx.x); i < 3 * kPlane; i += kThreads) (&window.plane[0][0])[i] = 0;
  if (threadIdx.x == 0) {
    window.x = window.y = 0;
    window.x0 = window.y0 = 1 << 30;
    window.x1 = window.y1 = -(1 << 30);
  }
  Tally tally;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) shared.batch = atomicAdd(&task.counters->next_batch, 1u);
    __syncthreads();
    const unsigned first = shared.batch * unsigned(kBatch);
    if (first >= task.run_count) break;
    const int runs = int(min(unsigned(kBatch), task.run_count - first));
    if (int(threadIdx.x) < runs)
      shared.bounds[threadIdx.x] =
          bound_run<M>(projector, layer.shading, task.runs[first + threadIdx.x]);
    __syncthreads();

    for (int k = 0; k < runs; ++k) {
      const RunBounds bounds = shared.bounds[k];
      const std::uint64_t i = (std::uint64_t(first) + std::uint64_t(k)) * kRun + threadIdx.x;
      if (!bounds.visible) {
        tally.inactive += i < layer.columns.count;
        continue;
      }
      // Pixels that splats of up to kWideRadius in this run can touch.
      const float reach = fminf(bounds.reach, kWideRadius) + 1.f;
      const float fx0 = fmaxf(floorf(bounds.x0 - reach), 0.f);
      const float fy0 = fmaxf(floorf(bounds.y0 - reach), 0.f);
      const float fx1 = fminf(ceilf(bounds.x1 + reach), float(projector.width - 1));
      const float fy1 = fminf(ceilf(bounds.y1 + reach), float(projector.height - 1));
      const bool fits = bounds.bounded && fx1 - fx0 < float(kWindow) && fy1 - fy0 < float(kWindow);
      Target target{nullptr, task.image, projector.width, projector.height};
      if (fits && !task.lists_only) {
        const int x0 = int(fx0), y0 = int(fy0), x1 = int(fx1), y1 = int(fy1);
        // Every thread reads the same state here and takes the same way.
        const bool inside =
            x0 >= window.x && y0 >= window.y && x1 < window.x + kWindow && y1 < window.y + kWindow;
        __syncthreads();
        if (!inside) {
          flush(window, projector.width, projector.height, task.image);
          __syncthreads();
        }
        if (threadIdx.x == 0) {
          if (!inside) {
            window.x = x0 - (kWindow - (x1 - x0 + 1)) / 2;
            window.y = y0 - (kWindow - (y1 - y0 + 1)) / 2;
            window.x0 = x0, window.y0 = y0, window.x1 = x1, window.y1 = y1;
          } else {
            window.x0 = min(window.x0, x0), window.y0 = min(window.y0, y0);
            window.x1 = max(window.x1, x1), window.y1 = max(window.y1, y1);
          }
        }
        __syncthreads();
        target.window = &window;
      }
      draw_particle<M>(projector, layer, task, i, target, fits ? kWideRadius : kWideRadiusOutside,
                       tally);
    }
  }
  __syncthreads();
  flush(window, projector.width, projector.height, task.image);
  if (!task.lists_only) add_tally(tally, task.counters);
}

__global__ void make_runs_kernel(Columns columns, Run* runs) {
  const std::uint64_t i = std::uint64_t(blockIdx.x) * kRun + threadIdx.x;
  const std::uint64_t last = columns.count - 1;
  const std::uint64_t j = i < last ? i : last;
  std::uint32_t low[3] = {columns.x[j], columns.y[j], columns.z[j]};
  std::uint32_t high[3] = {low[0], low[1], low[2]};
  float radius = columns.radius[j];
  __shared__ Run partial[kWarps];
  for (int d = 16; d > 0; d /= 2) {
    for (int a = 0; a < 3; ++a) {
      low[a] = min(low[a], __shfl_down_sync(~0u, low[a], d));
      high[a] = max(high[a], __shfl_down_sync(~0u, high[a], d));
    }
    radius = fmaxf(radius, __shfl_down_sync(~0u, radius, d));
  }
  if (threadIdx.x % 32 == 0) {
    Run& run = partial[threadIdx.x / 32];
    for (int a = 0; a < 3; ++a) run.low[a] = low[a], run.high[a] = high[a];
    run.max_radius = radius;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    Run run = partial[0];
    for (int w = 1; w < kWarps; ++w) {
      for (int a = 0; a < 3; ++a) {
        run.low[a] = min(run.low[a], partial[w].low[a]);
        run.high[a] = max(run.high[a], partial[w].high[a]);
      }
      run.max_radius = fmaxf(run.max_radius, partial[w].max_radius);
    }
    runs[blockIdx.x] = run;
  }
}

}  // namespace

void make_runs(Cuda& exec, const Columns& columns, Run* runs) {
  if (columns.count == 0) return;
  make_runs_kernel<<<unsigned((columns.count + kRun - 1) / kRun), kThreads, 0, exec.stream()>>>(
      columns, runs);
  check_cuda(cudaGetLastError(), "bounding runs of particles");
}

template <Mode M>
void draw_runs(Cuda& exec, const Projector<Real<M>>& projector, const Layer& layer,
               const RunsTask& task) {
  if (task.run_count == 0) return;
  check_cuda(cudaFuncSetAttribute(draw_runs_kernel<M>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(sizeof(SharedState))),
             "asking for shared memory");
  int blocks = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, draw_runs_kernel<M>, kThreads,
                                                           sizeof(SharedState)),
             "asking for occupancy");
  const unsigned batches = (task.run_count + kBatch - 1) / kBatch;
  const unsigned grid = min(batches, unsigned(max(1, blocks) * exec.multiprocessors()));
  draw_runs_kernel<M>
      <<<grid, kThreads, sizeof(SharedState), exec.stream()>>>(projector, layer, task);
  check_cuda(cudaGetLastError(), "small and medium particles");
}

template void draw_runs<Mode::Classic>(Cuda&, const Projector<double>&, const Layer&,
                                       const RunsTask&);
template void draw_runs<Mode::Default>(Cuda&, const Projector<float>&, const Layer&,
                                       const RunsTask&);
template void draw_runs<Mode::Map>(Cuda&, const Projector<float>&, const Layer&, const RunsTask&);

}  // namespace haloscope::compute::splotch
