#include "compute/exec/side_stream.cuh"
#include "compute/splotch/binned_splats.cuh"
#include "compute/splotch/list_writer.cuh"
#include "compute/splotch/narrow_splats.cuh"
#include "compute/splotch/plain_look.cuh"
#include "compute/splotch/plain_runs.cuh"
#include "compute/splotch/run_groups.cuh"
#include "compute/splotch/sparse_splats.cuh"

#include <algorithm>
#include <type_traits>

namespace haloscope::compute::splotch {

namespace {

// How groups of close runs are drawn, and of those farther apart. The larger the window, the fewer
// blocks share a multiprocessor, and the longer its warps wait for one another. On an H200, 225
// million particles: three blocks of 256 threads with windows of 64 pixels took a tenth longer than
// two of 384 with 72, and those with 80 as long; two of 512 threads take 2 to 4 % less than of 384.
struct CloseRuns {
  static constexpr int kThreads = 256, kBlocksPerMultiprocessor = 4, kWaiting = 1280;
  static constexpr bool kSumsNeighbors = true;  // particles of a warp often share a pixel
  using Target = NarrowWindow<Window::kSide>;
  using Narrow = NarrowSplats<kWaiting, kThreads, Target>;
};
struct ScatteredRuns {
  static constexpr int kThreads = 512, kBlocksPerMultiprocessor = 2, kWaiting = 2048;
  static constexpr bool kSumsNeighbors = false;
  using Target = NarrowWindow<kLargeWindowSide>;
  using Narrow = NarrowSplats<kWaiting, kThreads, Target>;
};

// A Tally in fewer instructions a particle. Each that does not shine counts as one update.
struct PlainTally {
  unsigned seen = 0, shining = 0, small = 0, large = 0;
  float radius_sum = 0, updates = 0;

  // `drawn`: its radius, 0 where it does not shine.
  __device__ void count(bool shines, bool is_small, float drawn, float pixels) {
    ++seen;
    small += is_small;
    shining += shines;
    radius_sum += drawn;
    updates += pixels;
  }
  __device__ static float pixels_of(float radius) {
    return larger(1.f, 3.14159265f * radius * radius);
  }
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

// The brightest splat of a group in the window's units.
__device__ float units_of(const RunGroup& group) {
  return brightest_units(unsigned(__popc(group.runs) * kRun));
}

// Adds the window to the image and clears it; a warp takes whole rows.
template <class G>
__device__ void flush(typename G::Target& w, const RunGroup& group, int width, float4* image) {
  constexpr int kWarps = G::kThreads / 32;
  const float inverse = group.emission[0] / units_of(group);
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
  BlockTally<G::kThreads / 32> tally;
};

template <class G>
constexpr bool kFits = G::kBlocksPerMultiprocessor*(sizeof(PlainState<G>) +
                                                    kMemoryOfBlock) <= kMemoryOfMultiprocessor;
static_assert(kFits<CloseRuns> && kFits<ScatteredRuns>);

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

// The splat of a particle of a plain run, and whether it gives light.
struct PlainSplat {
  float px, py;  // center, and seen from the center of its pixel
  int ix, iy;
  float fx, fy;
  float radius;
  float light[3];
  bool shines;

  __device__ bool small() const { return shines && radius <= kSmallRadius; }
  __device__ float drawn() const { return shines ? radius : 0.f; }
};

// What make_splat() does, rounded alike as far as a particle's place and radius go.
template <bool Extra, bool Packed>
__device__ PlainSplat make_plain(const Projector<float>& projector, const Layer& layer,
                                 const PlainLook& look, const StoredPlain& words) {
  const Columns& columns = layer.columns;
  const Shading& shading = layer.shading;
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
  PlainSplat out;
  out.px = fmaf(scale, camera[0], projector.center_x);
  out.py = fmaf(scale * projector.y_sign, camera[1], projector.center_y);
  out.ix = __float2int_rd(out.px + 0.5f), out.iy = __float2int_rd(out.py + 0.5f);
  out.fx = out.px - float(out.ix), out.fy = out.py - float(out.iy);
  const float stored =
      shading.fixed_radius != 0 ? shading.fixed_radius : particle.radius * shading.radius_factor;
  out.radius = stored * scale * shading.smooth_factor;

  const float value = !Extra || columns.density_color > 0 ? particle.radius : particle.color;
  const float place = ((look.logarithm ? __log2f(value) : value) - look.low) * look.factor;
  float light = look.light * (scale * scale);
  if (Extra && columns.weight) light *= particle.weight;
  palette_color(shading, __saturatef(place), out.light);
  for (float& channel : out.light) channel *= light;
  // A weight or a radius that is not a number gives no light.
  out.shines = fabsf(light) < 3e38f && out.radius >= 0;
  return out;
}

// Lists the wide splats of a warp.
__device__ void list_wide(bool is_wide, const PlainSplat& s, const RunsTask& task, ListWriter& wide,
                          unsigned& widest, PlainTally& tally) {
  if (!__any_sync(~0u, is_wide)) return;
  tally.large += is_wide && s.radius > task.large_radius;
  note_radius(is_wide, s.radius, widest);
  wide.append(is_wide, {s.ix, s.iy, s.fx, s.fy, s.radius, {s.light[0], s.light[1], s.light[2]}, 0},
              task.wide, &task.counters->wide);
  __syncwarp();
}

// Particle `threadIdx.x % 32` of a slice of a run.
template <bool Extra, bool Packed>
__device__ StoredPlain load_slice(const Columns& columns, unsigned run, int slice) {
  return load_plain<Extra, Packed>(
      columns, run * std::uint32_t(kRun) + std::uint32_t(slice) * 32u + threadIdx.x % 32);
}
// The same of a slice of a group.
template <bool Extra, bool Packed>
__device__ StoredPlain load_slice(const Columns& columns, const GroupInWork& work, int slice) {
  if (slice >= work.run_count * kSlices) return {};
  return load_slice<Extra, Packed>(columns, work.runs[slice / kSlices], slice % kSlices);
}

// Draws a group of runs, 32 particles per warp at a time. `next` is the warp's first slice.
template <class G, bool Extra, bool Packed>
__device__ void draw_plain_group(const Projector<float>& projector, const Layer& layer,
                                 const RunsTask& task, const PlainLook& look, GroupInWork& work,
                                 StoredPlain next, PlainState<G>& state, ListWriter& wide,
                                 PlainTally& tally) {
  const int lane = int(threadIdx.x) % 32;
  const RunGroup& group = work.group;
  typename G::Target& target = state.target;
  auto& narrow = state.narrow;
  // All channels have one bound (bound_emission).
  const float units = group.emission[0] > 0 ? units_of(group) / group.emission[0] : 0.f;
  const int x0 = group.x0, y0 = group.y0;
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
      next = load_slice<Extra, Packed>(layer.columns, work, slice);
      const PlainSplat s = make_plain<Extra, Packed>(projector, layer, look, words);
      const bool small = s.small(), is_wide = s.shines && s.radius > G::Target::kWidest;
      if (!task.lists_only)
        tally.count(s.shines, small, s.drawn(), PlainTally::pixels_of(s.drawn()));
      list_wide(is_wide, s, task, wide, state.widest, tally);
      // What is narrower was drawn before.
      if (task.lists_only) continue;
      float r = s.light[0] * units, g = s.light[1] * units, b = s.light[2] * units;
      if (__any_sync(~0u, small)) {
        float sum[3] = {r, g, b};
        bool adds = small;
        if constexpr (G::kSumsNeighbors)
          adds = sum_equal_neighbors(small ? s.iy * projector.width + s.ix : -1 - lane, sum[0],
                                     sum[1], sum[2]) &&
                 small;
        if (adds) target.add_one(s.ix - x0, s.iy - y0, sum[0], sum[1], sum[2]);
      }
      const bool is_narrow = s.shines && !small && !is_wide;
      if (__any_sync(~0u, is_narrow)) {
        const float light[3] = {r, g, b};
        narrow.wait(is_narrow, to_narrow<typename G::Target>(s.ix - x0, s.iy - y0, s.fx, s.fy,
                                                             s.radius, light));
      }
    }
    __syncthreads();
    if (!task.lists_only) narrow.draw(target);
  } while (__syncthreads_or(slice < slices));
}

template <class G, bool Extra, bool Packed>
__global__ void __launch_bounds__(G::kThreads, G::kBlocksPerMultiprocessor)
    draw_plain_runs_kernel(const __grid_constant__ Projector<float> projector,
                           const __grid_constant__ Layer layer,
                           const __grid_constant__ RunsTask task,
                           const __grid_constant__ PlainLook look, GroupList list) {
  const unsigned groups = list.counts->planned;
  extern __shared__ __align__(16) unsigned char raw[];
  auto& state = *reinterpret_cast<PlainState<G>*>(raw);
  // Puts the next group to work, by the first warp.
  const auto take_group = [&](GroupInWork& work) {
    unsigned next = 0;
    if (threadIdx.x == 0) next = atomicAdd(&list.counts->taken, 1u);
    next = __shfl_sync(~0u, next, 0);
    if (next < groups) begin_group(work, list, next);
    if (threadIdx.x == 0) state.next = next;
  };
  if (threadIdx.x < 32) take_group(state.work[0]);
  __syncthreads();
  unsigned group = state.next;
  if (group >= groups) return;
  for (int i = int(threadIdx.x); i < int(sizeof(state.target.sum) / sizeof(int)); i += G::kThreads)
    (&state.target.sum[0][0])[i] = 0;
  state.narrow.clear();
  if (threadIdx.x == 0) state.widest = 0;
  PlainTally tally;
  ListWriter wide;
  const auto first_slice = [&](const GroupInWork& work) {
    return load_slice<Extra, Packed>(layer.columns, work, int(threadIdx.x) / 32);
  };
  __syncthreads();
  StoredPlain ahead = first_slice(state.work[0]);
  for (int turn = 0; group < groups; turn ^= 1) {
    if (threadIdx.x < 32) take_group(state.work[turn ^ 1]);
    draw_plain_group<G, Extra, Packed>(projector, layer, task, look, state.work[turn], ahead, state,
                                       wide, tally);
    group = state.next;
    if (group < groups) ahead = first_slice(state.work[turn ^ 1]);
    if (!task.lists_only)
      flush<G>(state.target, state.work[turn].group, projector.width, task.image);
    __syncthreads();
  }
  wide.finish(task.wide);
  if (threadIdx.x == 0) atomicMax(&task.counters->widest, state.widest);
  if (!task.lists_only) state.tally.add(tally.whole(), task.counters);
}

constexpr int kSparseThreads = 256, kSparseBlocks = 4;  // per multiprocessor

// Warps take runs as they have time.
template <bool Extra, bool Packed>
__global__ void __launch_bounds__(kSparseThreads, kSparseBlocks)
    draw_sparse_runs_kernel(const __grid_constant__ Projector<float> projector,
                            const __grid_constant__ Layer layer,
                            const __grid_constant__ RunsTask task,
                            const __grid_constant__ PlainLook look, RunList list) {
  const unsigned runs = list.counts->planned;
  __shared__ SparseSplats<kSparseThreads> splats;
  __shared__ BlockTally<kSparseThreads / 32> block_tally;
  __shared__ unsigned widest;  // radius in the list, as the bits of a float
  if (threadIdx.x == 0) widest = 0;
  __syncthreads();
  const SparseImage image{task.image, projector.width, projector.height};
  const float pixels = float(projector.width) * float(projector.height);
  PlainTally tally;
  ListWriter wide;
  const auto take = [&] {
    unsigned taken = 0;
    if (threadIdx.x % 32 == 0) taken = atomicAdd(&list.counts->taken, 1u);
    return taken;
  };
  unsigned taken = take();
  unsigned at = __shfl_sync(~0u, taken, 0), next_at = 0, next_run = 0;
  if (!__syncthreads_or(at < runs)) return;
  taken = take();
  unsigned run = at < runs ? list.runs[at] : 0;
  StoredPlain next{};
  if (at < runs) next = load_slice<Extra, Packed>(layer.columns, run, 0);
  for (int slice = 0; at < runs;) {
    const StoredPlain words = next;
    // The next run is known before its first slice is read.
    if (slice == kSlices / 2) {
      next_at = __shfl_sync(~0u, taken, 0);
      next_run = next_at < runs ? list.runs[next_at] : 0;
      taken = take();
    }
    if (++slice == kSlices) slice = 0, at = next_at, run = next_run;
    if (at < runs) next = load_slice<Extra, Packed>(layer.columns, run, slice);

    PlainSplat s = make_plain<Extra, Packed>(projector, layer, look, words);
    s.shines = s.shines && touches(projector, s.px, s.py, s.ix, s.iy, s.radius);
    const bool small = s.small(), is_wide = s.shines && s.radius > kNarrowRadius;
    list_wide(is_wide, s, task, wide, widest, tally);
    if (task.lists_only) continue;
    tally.count(s.shines, small, s.drawn(), smaller(pixels, PlainTally::pixels_of(s.drawn())));
    if (small) image.add_one(s.ix, s.iy, s.light[0], s.light[1], s.light[2]);
    const bool is_narrow = s.shines && !small && !is_wide;
    const bool inside = is_narrow && task.splat_bins.chunk_count > 0 &&
                        unsigned(s.ix) < unsigned(projector.width) &&
                        unsigned(s.iy) < unsigned(projector.height);
    const bool kept =
        put_in_bin(task.splat_bins, inside, s.ix, s.iy, s.fx, s.fy, s.radius, s.light);
    const bool rest = is_narrow && !kept;
    if (__any_sync(~0u, rest))
      splats.add(rest, to_sparse(s.ix, s.iy, s.fx, s.fy, s.radius, s.light), image);
  }
  wide.finish(task.wide);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(&task.counters->widest, widest);
  if (!task.lists_only) block_tally.add(tally.whole(), task.counters);
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
                   bytes_of_bin_block()});
}

// Calls f(layer, with columns beside places and radii, packed).
template <class F>
static void with_columns(const Layer& given, const F& f) {
  Layer layer = given;
  if (!layer.shading.has_color) layer.columns.color[0] = nullptr;
  const auto call = [&](auto extra) {
    if (layer.columns.packed())
      f(layer, extra, std::true_type());
    else
      f(layer, extra, std::false_type());
  };
  if (layer.columns.color[0] || layer.columns.weight)
    call(std::true_type());
  else
    call(std::false_type());
}

template <class G>
static void draw_groups(Cuda& exec, const Projector<float>& projector, const Layer& given,
                        const RunsTask& task, const GroupList& list, int blocks) {
  with_columns(given, [&](const Layer& layer, auto extra, auto packed) {
    constexpr auto kKernel =
        draw_plain_runs_kernel<G, decltype(extra)::value, decltype(packed)::value>;
    prefer_shared_memory<kKernel>(exec, sizeof(PlainState<G>));
    const unsigned grid = std::min(task.run_count, unsigned(blocks * exec.multiprocessors()));
    kKernel<<<grid, G::kThreads, sizeof(PlainState<G>), exec.stream()>>>(projector, layer, task,
                                                                         plain_look(layer), list);
  });
  check_cuda(cudaGetLastError(), "small and medium particles");
}

static void draw_sparse_runs(Cuda& exec, const Projector<float>& projector, const Layer& given,
                             const RunsTask& task, int blocks) {
  with_columns(given, [&](const Layer& layer, auto extra, auto packed) {
    const unsigned grid = std::min(task.run_count, unsigned(blocks * exec.multiprocessors()));
    constexpr auto kKernel =
        draw_sparse_runs_kernel<decltype(extra)::value, decltype(packed)::value>;
    prefer_shared_memory<kKernel>(exec);
    kKernel<<<grid, kSparseThreads, 0, exec.stream()>>>(projector, layer, task, plain_look(layer),
                                                        sparse_runs(task));
  });
  check_cuda(cudaGetLastError(), "small and medium particles");
}

// Close and scattered runs wait for additions in shared memory most of the time, sparse ones for
// memory. So they share each multiprocessor, a half each, and where one kind is done, more blocks
// of the other take its half.
void draw_plain_runs(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                     const RunsTask& task, SideStream& side) {
  const auto close = [&](int blocks) {
    draw_groups<CloseRuns>(exec, projector, layer, task, list_of(task, GroupKind::Close), blocks);
  };
  const auto scattered = [&](int blocks) {
    draw_groups<ScatteredRuns>(exec, projector, layer, task, list_of(task, GroupKind::Scattered),
                               blocks);
  };
  const auto sparse = [&](int blocks) { draw_sparse_runs(exec, projector, layer, task, blocks); };
  constexpr int kClose = CloseRuns::kBlocksPerMultiprocessor,
                kScattered = ScatteredRuns::kBlocksPerMultiprocessor;
  static_assert(kClose % 2 == 0 && kScattered % 2 == 0 && kSparseBlocks % 2 == 0);
  plan_plain_groups(exec, projector, layer, task);
  SideStream::Fork beside(side);
  beside.run([&] { sparse(kSparseBlocks / 2); });
  close(kClose / 2);
  scattered(kScattered / 2);
  sparse(kSparseBlocks / 2);
  beside.run([&] {
    close(kClose / 2);
    scattered(kScattered / 2);
    plan_other_groups<Mode::Default>(exec, projector, layer, task);
  });
  beside.join();
}

}  // namespace haloscope::compute::splotch
