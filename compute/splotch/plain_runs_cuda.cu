#include "compute/splotch/list_writer.cuh"
#include "compute/splotch/narrow_splats.cuh"
#include "compute/splotch/plain_runs.cuh"
#include "compute/splotch/run_groups.cuh"
#include "compute/splotch/sparse_splats.cuh"

#include <algorithm>
#include <cmath>

namespace haloscope::compute::splotch {

namespace {

// How groups of close runs are drawn, of those farther apart, and of those that fit no window. The
// larger the window, the fewer blocks share a multiprocessor, and the longer its warps wait for one
// another. On an H200, 225 million particles: three blocks of 256 threads with windows of 64 pixels
// took a tenth longer than two of 384 with 72, and those with 80 as long.
struct CloseRuns {
  static constexpr int kThreads = 256, kBlocksPerMultiprocessor = 4, kWaiting = 1280;
  static constexpr bool kSumsNeighbors = true;  // particles of a warp often share a pixel
  using Target = NarrowWindow<Window::kSide>;
  using Narrow = NarrowSplats<kWaiting, kThreads, Target>;
};
struct ScatteredRuns {
  static constexpr int kThreads = 384, kBlocksPerMultiprocessor = 2, kWaiting = 2048;
  static constexpr bool kSumsNeighbors = false;
  using Target = NarrowWindow<kLargeWindowSide>;
  using Narrow = NarrowSplats<kWaiting, kThreads, Target>;
};
struct SparseRuns {
  static constexpr int kThreads = 256, kBlocksPerMultiprocessor = 4;
  static constexpr bool kSumsNeighbors = false;
  using Target = SparseImage;
  using Narrow = SparseSplats<kThreads>;
};

// A Tally in fewer instructions a particle. Each that does not shine counts as one update.
struct PlainTally {
  unsigned seen = 0, shining = 0, small = 0, large = 0;
  float radius_sum = 0, updates = 0;

  __device__ Tally whole() const {
    Tally out;
    out.small = small;
    out.medium = shining - small - large;
    out.large = large;
    out.radius_sum = radius_sum;
    out.updates = updates - float(seen - shining);
    return out;
  }
};

// What of a Shading the particles of plain runs need.
struct PlainLook {
  // Where in the palette, from 0 to 1: (value − low) · factor, of the value's binary logarithm
  // where `logarithm`. The value is the color column, or the stored radius of density colors.
  float low, factor;
  bool logarithm;
  float light;  // brightness, times the weight where all have one
};

PlainLook plain_look(const Layer& layer) {
  const Shading& s = layer.shading;
  const Columns& c = layer.columns;
  PlainLook look{-1, 1, false, s.brightness};
  if (!c.weight) look.light = c.uniform_weight * s.brightness;
  if (!s.has_color) return look;
  constexpr double kLog10Of2 = 0.30102999566398120;
  double low = s.color.low, factor = s.inverse_color_range;
  look.logarithm = s.color.transform == Transform::Log;
  if (look.logarithm) {
    low /= kLog10Of2;
    factor *= kLog10Of2;
  }
  if (c.density_color > 0) {
    // log₂(n / (4π/3 r³)) = log₂(n · 3/(4π)) − 3 log₂(r)
    low = (std::log2(double(c.density_color) * 0.238732415) - low) / 3;
    factor *= -3;
  }
  look.low = float(low);
  look.factor = float(factor);
  return look;
}

// The brightest splat of a group in the window's units: sums of all its particles stay below 2³⁰,
// and one splat below 2²² (FixedPoint).
__device__ float brightest_units(const RunGroup& group) {
  return fminf(float(1 << 21), float(1 << 30) / float(__popc(group.runs) * kRun));
}

// Adds the window to the image and clears it; a warp takes whole rows.
template <class G>
__device__ void flush(typename G::Target& w, const RunGroup& group, int width, float4* image) {
  constexpr int kWarps = G::kThreads / 32;
  const float inverse = group.emission[0] / brightest_units(group);
  const int columns = group.x1 - group.x0 + 1, rows = group.y1 - group.y0 + 1;
  const int lane = int(threadIdx.x) % 32;
  int row = int(threadIdx.x) / 32;
  int at = row * G::Target::kSide + lane;
  float4* pixel =
      image + std::size_t(group.y0 + row) * std::size_t(width) + std::size_t(group.x0 + lane);
  for (; row < rows; row += kWarps) {
#pragma unroll
    for (int some = 0; some < G::Target::kSide; some += 32) {
      if (lane + some >= columns) continue;
      const int r = w.sum[0][at + some], g = w.sum[1][at + some], b = w.sum[2][at + some];
      if ((r | g | b) == 0) continue;
      add_to_pixel(pixel + some, float(r) * inverse, float(g) * inverse, float(b) * inverse);
      w.sum[0][at + some] = w.sum[1][at + some] = w.sum[2][at + some] = 0;
    }
    at += kWarps * G::Target::kSide;
    pixel += std::ptrdiff_t(kWarps) * width;
  }
}

template <class G>
struct PlainState {
  typename G::Target target;
  typename G::Narrow narrow;
  // Of the group that is drawn and of the next one, which is read meanwhile.
  GroupInWork work[2];
  unsigned next;
  unsigned widest;  // radius in the list, as the bits of a float
};

// Shared memory of a multiprocessor of compute 9.0, of which each block takes 1 KB besides its own.
// Where there is less, fewer blocks run at once.
constexpr std::size_t kSharedMemory = 228 * 1024, kOfBlock = 1024;
template <class G>
constexpr bool kFits = G::kBlocksPerMultiprocessor*(sizeof(PlainState<G>) +
                                                    kOfBlock) <= kSharedMemory;
static_assert(kFits<CloseRuns> && kFits<ScatteredRuns> && kFits<SparseRuns>);

struct PlainParticle {
  std::uint32_t x, y, z;
  float radius, color, weight;
};

struct StoredPlain {
  StoredPlace place;
  float color, weight;
};

// Extra: there is a column of colors or of weights. Packed: Columns::packed().
template <bool Extra, bool Packed>
__device__ StoredPlain load_plain(const Columns& columns, std::uint32_t i) {
  StoredPlain p{Packed ? load_place(columns, i)
                       : StoredPlace{columns.position.words(i), __float_as_uint(columns.radius[i])},
                0, 1};
  if (Extra && columns.color[0]) p.color = columns.color[0][i];
  if (Extra && columns.weight) p.weight = columns.weight[i];
  return p;
}

// Whether the splat of a center at (px, py), in or nearest to pixel (ix, iy), touches the image, as
// make_splat() asks.
__device__ bool touches(const Projector<float>& projector, float px, float py, int ix, int iy,
                        float radius) {
  if (radius <= kSmallRadius)
    return unsigned(ix) < unsigned(projector.width) && unsigned(iy) < unsigned(projector.height);
  const float reach = FluxProfile::extent(radius);
  return px + reach > -0.5f && px - reach < float(projector.width) - 0.5f && py + reach > -0.5f &&
         py - reach < float(projector.height) - 0.5f;
}

// Particle `threadIdx.x % 32` of a slice of a group.
template <bool Extra, bool Packed>
__device__ StoredPlain load_slice(const Columns& columns, const GroupInWork& work, int slice) {
  if (slice >= work.run_count * kSlices) return {};
  return load_plain<Extra, Packed>(columns, work.runs[slice / kSlices] * std::uint32_t(kRun) +
                                                std::uint32_t(slice % kSlices) * 32u +
                                                threadIdx.x % 32);
}

// Draws a group of runs, 32 particles per warp at a time: what make_splat() and SliceDrawer do,
// rounded alike as far as a particle's place, radius and class go. `next` is the warp's first
// slice.
template <class G, bool Extra, bool Packed>
__device__ void draw_plain_group(const Projector<float>& projector, const Layer& layer,
                                 const RunsTask& task, const PlainLook& look, GroupInWork& work,
                                 StoredPlain next, PlainState<G>& state, ListWriter& wide,
                                 PlainTally& tally) {
  const int lane = int(threadIdx.x) % 32;
  const RunGroup& group = work.group;
  typename G::Target& target = state.target;
  auto& narrow = state.narrow;
  const Columns& columns = layer.columns;
  const Shading& shading = layer.shading;
  // All channels have one bound (bound_emission).
  float units = 1;
  int x0 = 0, y0 = 0;
  if constexpr (!G::Target::kFar) {
    units = group.emission[0] > 0 ? brightest_units(group) / group.emission[0] : 0.f;
    x0 = group.x0, y0 = group.y0;
  }
  const int slices = work.run_count * kSlices;
  int slice = int(threadIdx.x) / 32;
  // Warps take slices as they have time, the one after the next that they draw.
  const auto take = [&] {
    int taken = 0;
    if (lane == 0) taken = G::kThreads / 32 + atomicAdd(&work.next_slice, 1);
    return taken;
  };
  int taken = take();
  do {
    while (slice < slices && narrow.has_room()) {
      const StoredPlain words = next;
      slice = __shfl_sync(~0u, taken, 0);
      taken = take();
      next = load_slice<Extra, Packed>(columns, work, slice);
      const PlaceAndRadius placed =
          Packed ? unpack(columns, words.place)
                 : PlaceAndRadius{words.place.words, __uint_as_float(words.place.rest)};
      const PlainParticle particle{placed.at.x,   placed.at.y, placed.at.z,
                                   placed.radius, words.color, words.weight};

      float camera[3];
      projector.to_camera(float(std::int32_t(particle.x - projector.anchor[0])) * projector.step,
                          float(std::int32_t(particle.y - projector.anchor[1])) * projector.step,
                          float(std::int32_t(particle.z - projector.anchor[2])) * projector.step,
                          camera);
      const float scale =
          projector.perspective ? projector.pixels_per_tangent / -camera[2] : projector.ortho_scale;
      const float px = fmaf(scale, camera[0], projector.center_x);
      const float py = fmaf(scale * projector.y_sign, camera[1], projector.center_y);
      const int ix = __float2int_rd(px + 0.5f), iy = __float2int_rd(py + 0.5f);
      const float fx = px - float(ix), fy = py - float(iy);
      const float stored = shading.fixed_radius != 0 ? shading.fixed_radius
                                                     : particle.radius * shading.radius_factor;
      const float radius = stored * scale * shading.smooth_factor;

      const float value = !Extra || columns.density_color > 0 ? particle.radius : particle.color;
      const float place = ((look.logarithm ? __log2f(value) : value) - look.low) * look.factor;
      float light = look.light * (scale * scale);
      if (Extra && columns.weight) light *= particle.weight;
      float rgb[3];
      palette_color(shading, __saturatef(place), rgb);
      // A weight or a radius that is not a number gives no light.
      bool shines = fabsf(light) < 3e38f && radius >= 0;
      if constexpr (G::Target::kFar) shines = shines && touches(projector, px, py, ix, iy, radius);

      const bool small = shines && radius <= kSmallRadius;
      const bool is_wide = shines && radius > G::Target::kWidest;
      if (!task.lists_only) {
        ++tally.seen;
        tally.small += small;
        tally.shining += shines;
        const float drawn = shines ? radius : 0.f;
        tally.radius_sum += drawn;
        float updates = larger(1.f, 3.14159265f * drawn * drawn);
        if constexpr (G::Target::kFar)
          updates = smaller(updates, float(projector.width) * float(projector.height));
        tally.updates += updates;
      }

      if (__any_sync(~0u, is_wide)) {
        const Splat s{ix, iy, fx, fy, radius, {rgb[0] * light, rgb[1] * light, rgb[2] * light}, 0};
        tally.large += is_wide && radius > task.large_radius;
        note_radius(is_wide, radius, state.widest);
        wide.append(is_wide, s, task.wide, &task.counters->wide);
        __syncwarp();
      }
      // What is narrower was drawn before.
      if (task.lists_only) continue;
      light *= units;
      const float of_channels[3] = {rgb[0] * light, rgb[1] * light, rgb[2] * light};
      if (__any_sync(~0u, small)) {
        float r = of_channels[0], g = of_channels[1], b = of_channels[2];
        bool adds = small;
        if constexpr (G::kSumsNeighbors)
          adds =
              sum_equal_neighbors(small ? iy * projector.width + ix : -1 - lane, r, g, b) && small;
        if (adds) target.add_one(ix - x0, iy - y0, r, g, b);
      }
      const bool is_narrow = shines && !small && !is_wide;
      if (__any_sync(~0u, is_narrow)) {
        if constexpr (G::Target::kFar)
          narrow.add(is_narrow, to_sparse(ix, iy, fx, fy, radius, of_channels), target);
        else
          narrow.wait(is_narrow,
                      to_narrow<typename G::Target>(ix - x0, iy - y0, fx, fy, radius, of_channels));
      }
    }
    if constexpr (!G::Target::kFar) {
      __syncthreads();
      if (!task.lists_only) narrow.draw(target);
    }
  } while (__syncthreads_or(slice < slices));
}

template <class G, bool Extra, bool Packed>
__global__ void __launch_bounds__(G::kThreads, G::kBlocksPerMultiprocessor)
    draw_plain_runs_kernel(const __grid_constant__ Projector<float> projector,
                           const __grid_constant__ Layer layer,
                           const __grid_constant__ RunsTask task,
                           const __grid_constant__ PlainLook look, GroupList list) {
  const unsigned groups = list.counts->planned;
  if (blockIdx.x >= groups) return;
  extern __shared__ __align__(16) unsigned char raw[];
  auto& state = *reinterpret_cast<PlainState<G>*>(raw);
  if constexpr (G::Target::kFar) {
    if (threadIdx.x == 0) state.target = {task.image, projector.width, projector.height};
  } else {
    for (int i = int(threadIdx.x); i < int(sizeof(state.target.sum) / sizeof(int));
         i += G::kThreads)
      (&state.target.sum[0][0])[i] = 0;
  }
  if constexpr (!G::Target::kFar) state.narrow.clear();
  if (threadIdx.x == 0) state.widest = 0;
  PlainTally tally;
  ListWriter wide;
  const auto first_slice = [&](const GroupInWork& work) {
    return load_slice<Extra, Packed>(layer.columns, work, int(threadIdx.x) / 32);
  };
  unsigned group = blockIdx.x;
  if (threadIdx.x < 32) begin_group(state.work[0], list, group);
  __syncthreads();
  StoredPlain ahead = first_slice(state.work[0]);
  for (int turn = 0; group < groups; turn ^= 1) {
    if (threadIdx.x < 32) {
      unsigned next = 0;
      if (threadIdx.x == 0) next = gridDim.x + atomicAdd(&list.counts->taken, 1u);
      next = __shfl_sync(~0u, next, 0);
      if (next < groups) begin_group(state.work[turn ^ 1], list, next);
      if (threadIdx.x == 0) state.next = next;
    }
    draw_plain_group<G, Extra, Packed>(projector, layer, task, look, state.work[turn], ahead, state,
                                       wide, tally);
    group = state.next;
    if (group < groups) ahead = first_slice(state.work[turn ^ 1]);
    if constexpr (!G::Target::kFar)
      if (!task.lists_only)
        flush<G>(state.target, state.work[turn].group, projector.width, task.image);
    __syncthreads();
  }
  wide.finish(task.wide);
  if (threadIdx.x == 0) atomicMax(&task.counters->widest, state.widest);
  if (!task.lists_only) add_tally(tally.whole(), task.counters);
}

}  // namespace

bool has_plain_look(const Layer& layer) {
  const Shading& s = layer.shading;
  if (s.tints || s.vector_color || s.brightness < 0 || layer.columns.count > 0xffffffffu - kRun)
    return false;
  if (!s.has_color) return true;
  if (s.inverse_color_range == 0 || s.color.transform == Transform::Asinh) return false;
  return layer.columns.density_color == 0 || s.color.transform == Transform::Log;
}

bool can_draw_plain(const Cuda& exec) {
  return exec.block_shared_memory() >=
         std::max({sizeof(PlainState<CloseRuns>), sizeof(PlainState<ScatteredRuns>),
                   sizeof(PlainState<SparseRuns>)});
}

template <class G>
static void draw_groups(Cuda& exec, const Projector<float>& projector, const Layer& given,
                        const RunsTask& task, const GroupList& list) {
  Layer layer = given;
  if (!layer.shading.has_color) layer.columns.color[0] = nullptr;
  const bool extra = layer.columns.color[0] || layer.columns.weight;
  const auto kernel =
      layer.columns.packed()
          ? (extra ? draw_plain_runs_kernel<G, true, true> : draw_plain_runs_kernel<G, false, true>)
          : (extra ? draw_plain_runs_kernel<G, true, false>
                   : draw_plain_runs_kernel<G, false, false>);
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(sizeof(PlainState<G>))),
             "asking for shared memory");
  const unsigned grid =
      std::min(task.run_count, unsigned(G::kBlocksPerMultiprocessor * exec.multiprocessors()));
  kernel<<<grid, G::kThreads, sizeof(PlainState<G>), exec.stream()>>>(projector, layer, task,
                                                                      plain_look(layer), list);
  check_cuda(cudaGetLastError(), "small and medium particles");
}

void draw_plain_runs(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                     const RunsTask& task) {
  plan_plain_groups(exec, projector, layer, task);
  draw_groups<CloseRuns>(exec, projector, layer, task, list_of(task, GroupKind::Close));
  draw_groups<ScatteredRuns>(exec, projector, layer, task, list_of(task, GroupKind::Scattered));
}

void draw_sparse_runs(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                      const RunsTask& task) {
  draw_groups<SparseRuns>(exec, projector, layer, task, list_of(task, GroupKind::Sparse));
}

}  // namespace haloscope::compute::splotch
