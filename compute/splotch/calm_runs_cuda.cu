#include "compute/splotch/calm_runs.cuh"
#include "compute/splotch/list_writer.cuh"
#include "compute/splotch/run_groups.cuh"

#include <algorithm>
#include <cmath>

namespace haloscope::compute::splotch {

namespace {

// How groups of close runs are drawn, and of those farther apart: the larger the window, the fewer
// blocks share a multiprocessor, and the longer its warps wait for one another. On an H200 a window
// of 104 pixels with one block of 24 warps took 5 % longer than two of 72. The 8 × 4 pixels of a
// patch lie in as many banks.
struct CloseRuns {
  static constexpr int kSide = Window::kSide, kPlane = kSide * kSide;
  static constexpr int kThreads = 256, kWarps = kThreads / 32, kBlocksPerMultiprocessor = 4;
};
struct ScatteredRuns {
  static constexpr int kSide = kLargeWindowSide, kPlane = kSide * kSide;
  static constexpr int kThreads = 384, kWarps = kThreads / 32, kBlocksPerMultiprocessor = 2;
};
// Splats that wait are of four sizes, by how many pixels they touch along an axis at most, wherever
// in its pixel their center lies: the extent of the kernel that is integrated over pixels,
// kSupportRatio · R + ½, is at most half of that.
constexpr int kSizes = 4;
static_assert(FluxProfile::kSupportRatio * kLaneRadius <= 0.5f * (6 - 1));

// What of a Shading the particles of calm runs need.
struct CalmLook {
  // Where in the palette, from 0 to 1: (value − low) · factor, of the value's binary logarithm
  // where `logarithm`. The value is the color column, or the stored radius of density colors.
  float low, factor;
  bool logarithm;
  float light;  // brightness, times the weight where all have one
};

CalmLook calm_look(const Layer& layer) {
  const Shading& s = layer.shading;
  const Columns& c = layer.columns;
  CalmLook look{-1, 1, false, s.brightness};
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

// A piece of the image as Window is, with one word per channel: additions in shared memory are what
// the kernel waits for. Each splat is rounded to 1/2¹⁷ of the brightest that the group may have, or
// finer where the group has few particles.
template <class G>
struct CalmWindow {
  int sum[3][G::kPlane];
};

// The brightest splat of a group in the window's units: sums of all its particles stay below 2³⁰,
// and one splat below 2²² (FixedPoint).
__device__ float brightest_units(const RunGroup& group) {
  return fminf(float(1 << 21), float(1 << 30) / float(__popc(group.runs) * kRun));
}

template <class G>
__device__ void flush(CalmWindow<G>& w, const RunGroup& group, int width, float4* image) {
  float inverse[3];
  for (int c = 0; c < 3; ++c) inverse[c] = group.emission[c] / brightest_units(group);
  const int columns = group.x1 - group.x0 + 1, rows = group.y1 - group.y0 + 1;
  for (int row = int(threadIdx.x) / 32; row < rows; row += G::kWarps)
    for (int column = int(threadIdx.x) % 32; column < columns; column += 32) {
      const int at = row * G::kSide + column;
      int sum[3];
      for (int c = 0; c < 3; ++c) sum[c] = w.sum[c][at];
      if (sum[0] == 0 && sum[1] == 0 && sum[2] == 0) continue;
      add_to_pixel(
          image + std::size_t(group.y0 + row) * std::size_t(width) + std::size_t(group.x0 + column),
          float(sum[0]) * inverse[0], float(sum[1]) * inverse[1], float(sum[2]) * inverse[2]);
      for (int c = 0; c < 3; ++c) w.sum[c][at] = 0;
    }
}

// A splat that waits until there is one for each lane, in one 16-byte word. It rounds the center to
// 2⁻¹⁹ pixels, the radius to 2⁻¹⁷ and the light, in the window's units, to 12 bits.
struct alignas(16) WaitingSplat {
  unsigned words[4];
};
static_assert(ScatteredRuns::kPlane <= 1 << 14);

struct CalmSplat {
  int at;  // pixel in the window
  float x, y, radius;
  float light[3];
};

// Of 18 bits.
struct Fraction {
  static constexpr float kSteps = 262144.f;
  static constexpr float kRadiusSteps = kSteps / 4;
};

// Sign, exponent and 11 bits of the mantissa.
__device__ unsigned to_20_bits(float x) {
  return (__float_as_uint(x) + 0x800u) >> 12;
}
__device__ float from_20_bits(unsigned bits) {
  return __uint_as_float(bits << 12);
}

__device__ WaitingSplat to_waiting(const CalmSplat& s) {
  const auto in_pixel = [](float f) {
    return min(unsigned(fmaf(f, Fraction::kSteps, 0.5f * Fraction::kSteps)), (1u << 18) - 1);
  };
  const unsigned radius = unsigned(s.radius * Fraction::kRadiusSteps);
  const unsigned green = to_20_bits(s.light[1]);
  return {{unsigned(s.at) << 18 | in_pixel(s.x), in_pixel(s.y) << 14 | radius >> 4,
           to_20_bits(s.light[0]) << 12 | green >> 8,
           green << 24 | to_20_bits(s.light[2]) << 4 | (radius & 15u)}};
}

__device__ CalmSplat from_waiting(const WaitingSplat& s) {
  const auto in_pixel = [](unsigned code) {
    return fmaf(float(code), 1 / Fraction::kSteps, 0.5f / Fraction::kSteps - 0.5f);
  };
  const unsigned* const w = s.words;
  const unsigned radius = (w[1] & 0x3fffu) << 4 | (w[3] & 15u);
  return {int(w[0] >> 18),
          in_pixel(w[0] & 0x3ffffu),
          in_pixel(w[1] >> 14),
          (float(radius) + 0.5f) / Fraction::kRadiusSteps,
          {from_20_bits(w[2] >> 12), from_20_bits((w[2] & 0xfffu) << 8 | w[3] >> 24),
           from_20_bits(w[3] >> 4 & 0xfffffu)}};
}

// Splats of a warp that wait, by how many pixels they touch along an axis.
struct Waiting {
  WaitingSplat splats[kSizes][64];
};

template <class G>
struct CalmState {
  CalmWindow<G> window;
  Waiting waiting[G::kWarps];
  GroupInWork work;
  unsigned next;
};

template <class G>
__device__ void add(CalmWindow<G>& w, int at, float weight, const float light[3]) {
  for (int c = 0; c < 3; ++c)
    atomicAdd(&w.sum[c][at],
              __float_as_int(fmaf(weight, light[c], FixedPoint::kMagic)) - FixedPoint::kMagicBits);
}

__device__ int first_pixel(float center, int pixels) {
  return __float2int_rd(center - 0.5f * float(pixels)) + 1;
}

// Where the first pixel of a splat lies in the window. The bounds of a run hold its splats' pixels;
// should rounding ever prove them wrong, no memory beside the window is touched.
template <int kPixels, class G>
__device__ int first_place(const CalmSplat& c, int first_x, int first_y, const CalmWindow<G>&) {
  constexpr int kReach = kPixels / 2 * (G::kSide + 1);
  return min(max(c.at, kReach), G::kPlane - 1 - kReach) + first_y * G::kSide + first_x;
}

// Draws a splat that touches kPixels along an axis at most. Lanes draw neighbors, often of the same
// pixel, so each begins with another row: additions to one word wait for one another.
template <int kPixels, class G>
__device__ void draw_integrated(const CalmSplat& c, CalmWindow<G>& window) {
  const float inverse = __frcp_rn(FluxProfile::kSupportRatio * c.radius);
  const int first_x = first_pixel(c.x, kPixels), first_y = first_pixel(c.y, kPixels);
  const int first = first_place<kPixels>(c, first_x, first_y, window);
  // The kernel ends within the outermost pixels, so that its sum is −½ before and ½ behind them.
  float wx[kPixels];
  const float left = (float(first_x) + 0.5f - c.x) * inverse;
  float before = -0.5f;
#pragma unroll
  for (int x = 0; x < kPixels - 1; ++x) {
    const float after = FluxProfile::half_cumulative(fmaf(float(x), inverse, left));
    wx[x] = after - before;
    before = after;
  }
  wx[kPixels - 1] = 0.5f - before;
  const float top = (float(first_y) - 0.5f - c.y) * inverse;
  int y = int(threadIdx.x) % kPixels;
#pragma unroll 1
  for (int k = 0; k < kPixels; ++k) {
    const float wy = FluxProfile::half_cumulative(fmaf(float(y + 1), inverse, top)) -
                     FluxProfile::half_cumulative(fmaf(float(y), inverse, top));
    const float light[3] = {wy * c.light[0], wy * c.light[1], wy * c.light[2]};
    const int row = first + y * G::kSide;
#pragma unroll
    for (int x = 0; x < kPixels; ++x) add(window, row + x, wx[x], light);
    y = y + 1 < kPixels ? y + 1 : 0;
  }
}

// A warp's waiting splats of one size.
template <int kPixels, class G>
struct Queue {
  WaitingSplat* splats;
  CalmWindow<G>& window;
  int count = 0;  // the same in each lane

  __device__ void append(bool mine, const WaitingSplat& splat) {
    const unsigned mask = __ballot_sync(~0u, mine);
    if (mask == 0) return;
    const unsigned lane = threadIdx.x % 32;
    if (mine) splats[count + __popc(mask & ((1u << lane) - 1))] = splat;
    count += __popc(mask);
    __syncwarp();
    if (count < 32) return;
    count -= 32;
    draw_integrated<kPixels>(from_waiting(splats[count + int(lane)]), window);
    __syncwarp();
  }
  __device__ void finish() {
    __syncwarp();
    if (int(threadIdx.x % 32) < count)
      draw_integrated<kPixels>(from_waiting(splats[threadIdx.x % 32]), window);
  }
};

struct CalmParticle {
  std::uint32_t x, y, z;
  float radius, color, weight;
};

struct StoredCalm {
  StoredPlace place;
  float color, weight;
};

// Extra: there is a column of colors or of weights. Packed: Columns::packed().
template <bool Extra, bool Packed>
__device__ StoredCalm load_calm(const Columns& columns, std::uint32_t i) {
  StoredCalm p{Packed ? load_place(columns, i)
                      : StoredPlace{columns.position.words(i), __float_as_uint(columns.radius[i])},
               0, 1};
  if (Extra && columns.color[0]) p.color = columns.color[0][i];
  if (Extra && columns.weight) p.weight = columns.weight[i];
  return p;
}

// Draws the group of runs in state.group, 32 particles per warp at a time: what make_splat() and
// SliceDrawer do, rounded alike as far as a particle's place, radius and class go.
template <class G, bool Extra, bool Packed>
__device__ void draw_calm_group(const Projector<float>& projector, const Layer& layer,
                                const RunsTask& task, const CalmLook& look, CalmState<G>& state,
                                ListWriter& wide, Tally& tally) {
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  const RunGroup& group = state.work.group;
  CalmWindow<G>& window = state.window;
  Waiting& store = state.waiting[warp];
  const Columns& columns = layer.columns;
  const Shading& shading = layer.shading;
  // All channels have one bound (bound_emission).
  const float window_units =
      group.emission[0] > 0 ? brightest_units(group) / group.emission[0] : 0.f;
  const int slices = state.work.run_count * kSlices;
  const auto index = [&](int slice) {
    return (group.first_run + std::uint32_t(state.work.runs[slice / kSlices])) *
               std::uint32_t(kRun) +
           std::uint32_t(slice % kSlices * 32 + lane);
  };
  const auto take = [&] {
    int slice = 0;
    if (lane == 0) slice = atomicAdd(&state.work.next_slice, 1);
    return __shfl_sync(~0u, slice, 0);
  };
  Queue<3, G> queue3{store.splats[0], window};
  Queue<4, G> queue4{store.splats[1], window};
  Queue<5, G> queue5{store.splats[2], window};
  Queue<6, G> queue6{store.splats[3], window};
  StoredCalm next{};
  int slice = take();
  if (slice < slices) next = load_calm<Extra, Packed>(columns, index(slice));
  while (slice < slices) {
    const StoredCalm words = next;
    slice = take();
    if (slice < slices) next = load_calm<Extra, Packed>(columns, index(slice));
    const PlaceAndRadius placed =
        Packed ? unpack(columns, words.place)
               : PlaceAndRadius{words.place.words, __uint_as_float(words.place.rest)};
    const CalmParticle particle{placed.at.x,   placed.at.y, placed.at.z,
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
    const float stored =
        shading.fixed_radius != 0 ? shading.fixed_radius : particle.radius * shading.radius_factor;
    const float radius = stored * scale * shading.smooth_factor;

    const float value = !Extra || columns.density_color > 0 ? particle.radius : particle.color;
    const float place = ((look.logarithm ? __log2f(value) : value) - look.low) * look.factor;
    float light = look.light * (scale * scale);
    if (Extra && columns.weight) light *= particle.weight;
    float rgb[3];
    palette_color(shading, __saturatef(place), rgb);
    // A weight that is not a number gives no light.
    const bool shines = fabsf(light) < 3e38f;

    const bool small = shines && radius <= kSmallRadius;
    const bool is_wide = shines && radius > kLaneRadius;
    if (!task.lists_only) {
      tally.small += small;
      tally.medium += shines && !small && !(radius > task.large_radius);
      tally.large += shines && radius > task.large_radius;
      tally.radius_sum += shines ? radius : 0.f;
      tally.updates += shines ? larger(1.f, 3.14159265f * radius * radius) : 0.f;
    }

    if (__any_sync(~0u, is_wide)) {
      const Splat s{ix, iy, fx, fy, radius, {rgb[0] * light, rgb[1] * light, rgb[2] * light}, 0};
      wide.append(is_wide, s, task.wide, &task.counters->wide);
      __syncwarp();
    }
    // What is narrower was drawn before.
    if (task.lists_only) continue;
    light *= window_units;
    const int at = (iy - group.y0) * G::kSide + (ix - group.x0);
    if (__any_sync(~0u, small)) {
      const int key = small ? min(max(at, 0), G::kPlane - 1) : -1 - lane;
      float r = rgb[0] * light, g = rgb[1] * light, b = rgb[2] * light;
      if (sum_equal_neighbors(key, r, g, b) && small) {
        atomicAdd(&window.sum[0][key], __float2int_rn(r));
        atomicAdd(&window.sum[1][key], __float2int_rn(g));
        atomicAdd(&window.sum[2][key], __float2int_rn(b));
      }
    }
    const bool waits = shines && !small && !is_wide;
    if (!__any_sync(~0u, waits)) continue;
    const WaitingSplat splat =
        to_waiting({at, fx, fy, radius, {rgb[0] * light, rgb[1] * light, rgb[2] * light}});
    const float support = FluxProfile::kSupportRatio * radius;
    queue3.append(waits && support <= 1.f, splat);
    queue4.append(waits && support > 1.f && support <= 1.5f, splat);
    queue5.append(waits && support > 1.5f && support <= 2.f, splat);
    queue6.append(waits && support > 2.f, splat);
  }
  queue3.finish();
  queue4.finish();
  queue5.finish();
  queue6.finish();
  __syncwarp();
}

template <class G, bool Extra, bool Packed>
__global__ void __launch_bounds__(G::kThreads, G::kBlocksPerMultiprocessor)
    draw_calm_runs_kernel(const __grid_constant__ Projector<float> projector,
                          const __grid_constant__ Layer layer,
                          const __grid_constant__ RunsTask task,
                          const __grid_constant__ CalmLook look, GroupList list) {
  extern __shared__ __align__(16) unsigned char raw[];
  auto& state = *reinterpret_cast<CalmState<G>*>(raw);
  for (int i = int(threadIdx.x); i < int(sizeof(CalmWindow<G>) / sizeof(int)); i += G::kThreads)
    (&state.window.sum[0][0])[i] = 0;
  Tally tally;
  ListWriter wide;
  const unsigned groups = list.counts->planned;
  unsigned next = blockIdx.x;
  while (next < groups) {
    __syncthreads();
    if (threadIdx.x < 32) begin_group(state.work, list, next);
    __syncthreads();
    draw_calm_group<G, Extra, Packed>(projector, layer, task, look, state, wide, tally);
    if (threadIdx.x == 0) state.next = gridDim.x + atomicAdd(&list.counts->taken, 1u);
    __syncthreads();
    if (!task.lists_only) flush(state.window, state.work.group, projector.width, task.image);
    next = state.next;
  }
  wide.finish(task.wide);
  if (!task.lists_only) add_tally(tally, task.counters);
}

}  // namespace

bool has_calm_look(const Layer& layer) {
  const Shading& s = layer.shading;
  if (s.tints || s.vector_color || layer.columns.count > 0xffffffffu - kRun) return false;
  if (!s.has_color) return true;
  if (s.inverse_color_range == 0 || s.color.transform == Transform::Asinh) return false;
  return layer.columns.density_color == 0 || s.color.transform == Transform::Log;
}

bool can_draw_calm(const Cuda& exec) {
  return exec.block_shared_memory() >=
         std::max(sizeof(CalmState<CloseRuns>), sizeof(CalmState<ScatteredRuns>));
}

template <class G>
static void draw_groups(Cuda& exec, const Projector<float>& projector, const Layer& given,
                        const RunsTask& task, const GroupList& list) {
  Layer layer = given;
  if (!layer.shading.has_color) layer.columns.color[0] = nullptr;
  const bool extra = layer.columns.color[0] || layer.columns.weight;
  const auto kernel =
      layer.columns.packed()
          ? (extra ? draw_calm_runs_kernel<G, true, true> : draw_calm_runs_kernel<G, false, true>)
          : (extra ? draw_calm_runs_kernel<G, true, false>
                   : draw_calm_runs_kernel<G, false, false>);
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(sizeof(CalmState<G>))),
             "asking for shared memory");
  const unsigned grid =
      std::min(task.run_count, unsigned(G::kBlocksPerMultiprocessor * exec.multiprocessors()));
  kernel<<<grid, G::kThreads, sizeof(CalmState<G>), exec.stream()>>>(projector, layer, task,
                                                                     calm_look(layer), list);
  check_cuda(cudaGetLastError(), "small and medium particles");
}

void draw_calm_runs(Cuda& exec, const Projector<float>& projector, const Layer& layer,
                    const RunsTask& task) {
  plan_calm_groups(exec, projector, layer, task);
  draw_groups<CloseRuns>(exec, projector, layer, task, list_of(task, GroupKind::Close));
  draw_groups<ScatteredRuns>(exec, projector, layer, task, list_of(task, GroupKind::Scattered));
}

}  // namespace haloscope::compute::splotch
