#include "compute/exec/side_stream.cuh"
#include "compute/splotch/pixel_atomics.cuh"
#include "compute/splotch/splat_products.cuh"
#include "compute/splotch/tile_products.cuh"

namespace haloscope::compute::splotch {

namespace {

constexpr int kQuarter = kPatch;  // side of the part of a tile that a warp draws
constexpr int kWarps = (kTile / kQuarter) * (kTile / kQuarter);
constexpr int kThreads = 32 * kWarps;
constexpr int kBlocks = 8;            // per multiprocessor
constexpr int kBatch = 240;           // splats in shared memory; numbers of them fit a byte
constexpr int kNothing = kBatch;      // a splat without light
constexpr float kPeak = 1.59154943f;  // of the radial kernel times radius²: 5/π
// Splats are faint where no peak exceeds the mean light of the tile's pixels divided by this.
constexpr float kFaint = 2;
// Of a splat's light about half falls into each tile that it touches.
constexpr float kShare = 0.5f / (kTile * kTile);
// The light of the brightest faint splat in products: far below the largest 16-bit float, far above
// the smallest.
constexpr float kUnits = 1024.f;
// Splats of a batch that are not faint, which are added one by one. With more, one block would take
// longer than the pieces of a left batch, which many blocks share.
constexpr int kMostBright = 60;
// The light of a pixel may be wrong by this part of it, or of the tile's mean.
constexpr float kOfLight = 1.f / 100, kOfMean = 1.f / 1024;

struct alignas(16) ProductSplat {
  float x, y;     // center in the tile, over the scale of lengths
  float inverse;  // kNarrower/radius
  __half2 red_green;
};

// A splat that is added as it is.
struct alignas(8) BrightSplat {
  float x, y;      // center in the tile
  float inverse2;  // 1/radius²
  float peak[3];
};

// What decides how a batch is drawn.
struct BatchLight {
  unsigned bright;  // splats
  unsigned unfit;   // splats whose light is negative, too much, or not a number
  float light_of_faint, light_of_bright;  // of the brightest channels

  // Where most of the light is that of bright splats, products hide little of the work, and are
  // left in the end more often (H200, 37.9 M at 3.90 px: three times as much light took 4 %
  // longer).
  __device__ bool fits() const {
    return unfit == 0 && bright <= unsigned(kMostBright) && light_of_bright <= light_of_faint;
  }
};

// The pixel of a quarter that has the least light, and this light of all channels together.
struct DarkPixel {
  float x, y;  // in the tile
  float light;
  float exact;
};

struct Batch {
  ProductSplat splats[kBatch + 1];
  __half blue[kBatch + 1];
  // Of each quarter the splats that reach it, filled up with kNothing to whole columns.
  alignas(4) std::uint8_t members[kWarps][kBatch + kProductSplats];
  BrightSplat bright[kMostBright];
  BatchLight light[2];  // of this batch, and of the next
  unsigned tile;
  DarkPixel dark[kWarps];
};

// Puts a splat where products or what is added one by one will find it, by its largest peak in
// `units`, and adds it to `own`.
__device__ void load(Batch& batch, int at, const WideSplat& s, const TileItem& item, float units,
                     unsigned& bright, BatchLight& own) {
  const float inverse = 1 / s.radius, inverse2 = inverse * inverse;
  const float x = float(s.ix - item.x) + s.fx, y = float(s.iy - item.y) + s.fy;
  const float scale = kNarrower * inverse, light = units * inverse2;
  const float peak[3] = {s.emission[0] * light, s.emission[1] * light, s.emission[2] * light};
  const float most = fmaxf(peak[0], fmaxf(peak[1], peak[2]));
  // Batches with negative light are left: sums below 0 are cut off at the end.
  constexpr float kTooBright = 1e30f;
  if (!(peak[0] >= 0 && peak[1] >= 0 && peak[2] >= 0 && most < kTooBright)) ++own.unfit;
  if (most <= kUnits) {
    batch.splats[at] = {x * scale, y * scale, scale, __floats2half2_rn(peak[0], peak[1])};
    batch.blue[at] = __float2half_rn(peak[2]);
    own.light_of_faint += most * s.radius * s.radius;
    return;
  }
  constexpr float kFarAway = 1e15f;
  batch.splats[at] = {kFarAway, kFarAway, 0, __float2half2_rn(0.f)};
  batch.blue[at] = __float2half(0.f);
  own.light_of_bright += most * s.radius * s.radius;
  const unsigned place = atomicAdd(&bright, 1u);
  if (place < unsigned(kMostBright))
    batch.bright[place] = {x, y, inverse2, {peak[0], peak[1], peak[2]}};
}

// Loads splats [first, first + n) of the lists. Returns what tells how they are drawn, the same to
// all threads.
template <class S>
__device__ BatchLight load_batch(Batch& batch, const TileLists<S>& lists, const TileItem& item,
                                 unsigned long long first, int n, float units, int parity) {
  BatchLight own{}, &all = batch.light[parity];
  for (int k = int(threadIdx.x); k < n; k += kThreads)
    load(batch, k, unpacked(lists.splats[lists.members[first + unsigned(k)]]), item, units,
         all.bright, own);
  for (int d = 16; d > 0; d /= 2) {
    own.light_of_faint += __shfl_xor_sync(~0u, own.light_of_faint, d);
    own.light_of_bright += __shfl_xor_sync(~0u, own.light_of_bright, d);
  }
  if (own.unfit) atomicAdd(&all.unfit, own.unfit);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&all.light_of_faint, own.light_of_faint);
    atomicAdd(&all.light_of_bright, own.light_of_bright);
  }
  __syncthreads();
  const BatchLight light = all;
  if (threadIdx.x == 0) batch.light[1 - parity] = {};
  return light;
}

// Whether the splat's disc reaches the quarter whose first pixel is (x, y).
__device__ bool reaches(const ProductSplat& s, float x, float y) {
  const float left = fmaf(x, s.inverse, -s.x), top = fmaf(y, s.inverse, -s.y);
  const float side = float(kQuarter - 1) * s.inverse;
  const float dx = larger(0.f, larger(left, -(left + side))),
              dy = larger(0.f, larger(top, -(top + side)));
  return fmaf(dx, dx, dy * dy) < kNarrower * kNarrower;
}

// The light of a quarter as the fragments of products hold it: of lane 4 g + j, rows g and g + 8,
// columns 2 j and 2 j + 1 of each half.
struct Quarter {
  float sum[2][3][4] = {};  // by half and channel: (row, column), (row, column + 1), then row + 8
};

// Adds the 16 splats of `four`, four in each of the lanes that share j = lane mod 4.
__device__ void add_columns(Quarter& quarter, const Batch& batch, uchar4 four, float x, float y) {
  const ProductSplat s[4] = {batch.splats[four.x], batch.splats[four.y], batch.splats[four.z],
                             batch.splats[four.w]};
  unsigned rows[2][4];  // of u₁ and of −u₂
#pragma unroll
  for (int pair = 0; pair < 2; ++pair)
#pragma unroll
    for (int below = 0; below < 2; ++below) {
      const ProductSplat &p = s[2 * pair], &q = s[2 * pair + 1];
      const RadialFactors f = radial_factors(fmaf(y + float(8 * below), p.inverse, -p.y),
                                             fmaf(y + float(8 * below), q.inverse, -q.y));
      rows[0][2 * pair + below] = half_bits(f.first);
      rows[1][2 * pair + below] = half_bits(__hneg2(f.second));
    }
  __half2 light[2][3];
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    const __half2 p = s[2 * pair].red_green, q = s[2 * pair + 1].red_green;
    light[pair][0] = __lows2half2(p, q);
    light[pair][1] = __highs2half2(p, q);
  }
  light[0][2] = __halves2half2(batch.blue[four.x], batch.blue[four.y]);
  light[1][2] = __halves2half2(batch.blue[four.z], batch.blue[four.w]);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    RadialFactors f[2];
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      const ProductSplat &p = s[2 * pair], &q = s[2 * pair + 1];
      f[pair] = radial_factors(fmaf(x + float(8 * half), p.inverse, -p.x),
                               fmaf(x + float(8 * half), q.inverse, -q.x));
    }
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      add_product(quarter.sum[half][c], rows[0], half_bits(__hmul2(f[0].first, light[0][c])),
                  half_bits(__hmul2(f[1].first, light[1][c])));
      add_product(quarter.sum[half][c], rows[1], half_bits(__hmul2(f[0].second, light[0][c])),
                  half_bits(__hmul2(f[1].second, light[1][c])));
    }
  }
}

// Adds the bright splats of a batch that reach a warp's quarter, each lane to its own pixels.
__device__ void add_bright(Quarter& quarter, const Batch& batch, int count, int quarter_x,
                           int quarter_y) {
  const int lane = int(threadIdx.x) % 32;
  const float x0 = float(quarter_x), y0 = float(quarter_y);
  const float x = x0 + float(lane % 4 * 2), y = y0 + float(lane / 4);
  for (int some = 0; some < count; some += 32) {
    const int k = some + lane;
    bool mine = false;
    if (k < count) {
      const BrightSplat& s = batch.bright[k];
      constexpr float kSide = float(kQuarter - 1);
      const float dx = fmaxf(0.f, fmaxf(x0 - s.x, s.x - (x0 + kSide))),
                  dy = fmaxf(0.f, fmaxf(y0 - s.y, s.y - (y0 + kSide)));
      mine = fmaf(dx, dx, dy * dy) * s.inverse2 < 1.f;
    }
    for (unsigned mask = __ballot_sync(~0u, mine); mask != 0; mask &= mask - 1) {
      const BrightSplat s = batch.bright[some + __ffs(int(mask)) - 1];
      float rows[2];  // 1 − dy²/radius²
#pragma unroll
      for (int below = 0; below < 2; ++below) {
        const float dy = (y + float(8 * below)) - s.y;
        rows[below] = fmaf(-dy * dy, s.inverse2, 1.f);
      }
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int beside = 0; beside < 2; ++beside) {
          const float dx = (x + float(8 * half + beside)) - s.x, dx2 = dx * dx;
#pragma unroll
          for (int below = 0; below < 2; ++below) {
            float w = fmaxf(0.f, fmaf(-dx2, s.inverse2, rows[below]));
            w *= w;
            w *= w;
            const int pixel = 2 * below + beside;
#pragma unroll
            for (int c = 0; c < 3; ++c)
              quarter.sum[half][c][pixel] = fmaf(w, s.peak[c], quarter.sum[half][c][pixel]);
          }
        }
    }
  }
}

// Lists the splats of a batch of n that reach a warp's quarter, and so many without light as fill
// the last columns. Returns how many reach it.
__device__ int list_members(Batch& batch, int n, int quarter_x, int quarter_y) {
  std::uint8_t* const members = batch.members[threadIdx.x / 32];
  const int lane = int(threadIdx.x) % 32;
  int count = 0;
  for (int some = 0; some < n; some += 32) {
    const int k = some + lane;
    const bool mine =
        k < n && reaches(batch.splats[k < n ? k : 0], float(quarter_x), float(quarter_y));
    const unsigned mask = __ballot_sync(~0u, mine);
    if (mine) members[count + __popc(mask & ((1u << lane) - 1))] = std::uint8_t(k);
    count += __popc(mask);
  }
  if (lane < kProductSplats) members[count + lane] = std::uint8_t(kNothing);
  __syncwarp();
  return count;
}

// Calls f(x, y, half, k) for each pixel of a lane: its place in the tile, and its sums are
// quarter.sum[half][…][k].
template <class F>
__device__ void for_each_pixel(int quarter_x, int quarter_y, const F& f) {
  const int lane = int(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int k = 0; k < 4; ++k)
      f(quarter_x + 8 * half + lane % 4 * 2 + k % 2, quarter_y + lane / 4 + 8 * (k / 2), half, k);
}

// A warp's darkest pixel.
__device__ DarkPixel darkest_pixel(const Quarter& quarter, int quarter_x, int quarter_y) {
  DarkPixel dark{float(quarter_x), float(quarter_y), HUGE_VALF, 0};
  for_each_pixel(quarter_x, quarter_y, [&](int x, int y, int half, int k) {
    const float(&sum)[3][4] = quarter.sum[half];
    const float light = sum[0][k] + sum[1][k] + sum[2][k];
    if (light < dark.light) dark = {float(x), float(y), light, 0};
  });
  for (int d = 16; d > 0; d /= 2) {
    const float light = __shfl_xor_sync(~0u, dark.light, d);
    const float x = __shfl_xor_sync(~0u, dark.x, d), y = __shfl_xor_sync(~0u, dark.y, d);
    if (light < dark.light) dark = {x, y, light, 0};
  }
  return dark;
}

// Adds up the light that the drawn batches of an item really give to the darkest pixel of each
// quarter.
template <class S>
__device__ void sum_exactly(Batch& batch, const TileLists<S>& lists, const TileItem& item,
                            unsigned drawn, float units) {
  float sum[kWarps] = {};
  const float x0 = float(item.x), y0 = float(item.y);
  const auto n = int(item.end - item.begin);
  for (int k = int(threadIdx.x); k < n; k += kThreads) {
    if (!(drawn >> (k / kBatch) & 1)) continue;
    const WideSplat s = unpacked(lists.splats[lists.members[item.begin + unsigned(k)]]);
    const float inverse = 1 / s.radius, inverse2 = inverse * inverse;
    const float light = (s.emission[0] + s.emission[1] + s.emission[2]) * (units * inverse2);
    const float x = (float(s.ix) - x0) + s.fx, y = (float(s.iy) - y0) + s.fy;
#pragma unroll
    for (int q = 0; q < kWarps; ++q) {
      const float dx = batch.dark[q].x - x, dy = batch.dark[q].y - y;
      float w = fmaxf(0.f, fmaf(-fmaf(dx, dx, dy * dy), inverse2, 1.f));
      w *= w;
      sum[q] = fmaf(w * w, light, sum[q]);
    }
  }
#pragma unroll
  for (int q = 0; q < kWarps; ++q) {
    for (int d = 16; d > 0; d /= 2) sum[q] += __shfl_xor_sync(~0u, sum[q], d);
    if (threadIdx.x % 32 == 0) atomicAdd(&batch.dark[q].exact, sum[q]);
  }
}

// Whether the sums of products are near the light that the splats really give, as seen at the
// darkest pixel of each quarter. Errors of splats at one place add up: their sum is up to 0.3 % of
// their peaks at the rim of their discs, where they give next to no light. A part of the light that
// is left out there is a dark ring in the picture.
template <class S>
__device__ bool holds(Batch& batch, const Quarter& quarter, const TileLists<S>& lists,
                      const TileItem& item, unsigned drawn, int quarter_x, int quarter_y,
                      float mean, float units) {
  const DarkPixel dark = darkest_pixel(quarter, quarter_x, quarter_y);
  if (threadIdx.x % 32 == 0) batch.dark[threadIdx.x / 32] = dark;
  __syncthreads();
  sum_exactly(batch, lists, item, drawn, units);
  __syncthreads();
  bool near = true;
  for (const DarkPixel& d : batch.dark)
    near = near && fabsf(d.light - d.exact) <= fmaxf(kOfLight * d.exact, kOfMean * mean);
  return near;
}

// Most batches of a piece that is left: short, so that many blocks share them.
constexpr int kPiece = 3;

// Leaves the batches of an item whose bits are set, up to kPiece that follow one another as one
// piece.
__device__ void leave(const ProductTask& task, const TileItem& item, unsigned batches) {
  if (threadIdx.x != 0) return;
  while (batches) {
    const int first = __ffs(int(batches)) - 1;
    const int behind = min(__ffs(int(~(batches >> first))) - 1, kPiece);
    batches &= ~(((1u << behind) - 1) << first);
    TileItem& left = task.left[atomicAdd(task.left_count, 1u)];
    left = item;
    left.begin = item.begin + unsigned(first * kBatch);
    left.end = min(item.end, item.begin + unsigned((first + behind) * kBatch));
  }
}
static_assert((kItem + kBatch - 1) / kBatch < 32);

__device__ void add_to_picture(const Quarter& quarter, const WideTiling& tiling,
                               const TileItem& item, int quarter_x, int quarter_y, float units) {
  const float inverse = 1 / units;
  for_each_pixel(quarter_x, quarter_y, [&](int column, int row, int half, int k) {
    const int x = item.x + column, y = item.y + row;
    const float(&sum)[3][4] = quarter.sum[half];
    // Beyond a splat's disc, along the diagonals, its products are a little below 0.
    if (sum[0][k] != 0 || sum[1][k] != 0 || sum[2][k] != 0)
      add_to_pixel(tiling.image + std::size_t(y) * std::size_t(tiling.width) + std::size_t(x),
                   fmaxf(0.f, sum[0][k]) * inverse, fmaxf(0.f, sum[1][k]) * inverse,
                   fmaxf(0.f, sum[2][k]) * inverse);
  });
}

// A block per item, a warp per quarter of its tile.
template <class S>
__global__ void __launch_bounds__(kThreads, kBlocks)
    draw_products(const __grid_constant__ TilingStack stack,
                  const __grid_constant__ TileLists<S> lists,
                  const __grid_constant__ ProductTask task) {
  __shared__ Batch batch;
  if (!lists.has_item(blockIdx.x)) return;
  const TileItem item = item_of_block(stack, lists, batch.tile);
  const WideTiling& tiling = stack.level[item.level];
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  const int quarter_x = warp % 2 * kQuarter, quarter_y = warp / 2 * kQuarter;
  const int batches = int((item.end - item.begin + kBatch - 1) / kBatch);
  const unsigned all = (1u << batches) - 1;
  const float mean = task.light.of_tile[item.tile] * kShare;
  const bool tells =
      lists.starts[item.tile + 1].place - lists.starts[item.tile].place >= task.light.least_splats;
  // On levels splats are within 0.02 % of their peaks. Of a tile that the picture's edge cuts too
  // few pixels are seen to tell errors by.
  const bool whole = item.x + kTile <= tiling.width && item.y + kTile <= tiling.height;
  if (item.level > 0 || !whole || !tells || !(mean > 1e-30f && mean < 1e30f)) {
    leave(task, item, all);
    return;
  }
  const float units = kUnits * kFaint / mean;
  if (threadIdx.x == 0) {
    batch.light[0] = batch.light[1] = {};
    batch.splats[kNothing] = {2, 2, 0, __float2half2_rn(0.f)};
    batch.blue[kNothing] = __float2half(0.f);
  }
  Quarter quarter;
  unsigned drawn = 0;
  for (int b = 0; b < batches; ++b) {
    const unsigned long long first = item.begin + unsigned(b * kBatch);
    const int n = int(min((unsigned long long)kBatch, item.end - first));
    __syncthreads();
    const BatchLight light = load_batch(batch, lists, item, first, n, units * kPeak, b % 2);
    if (!light.fits()) continue;
    drawn |= 1u << b;
    const int count = list_members(batch, n, quarter_x, quarter_y);
    for (int k = 0; k < count; k += kProductSplats)
      add_columns(quarter, batch,
                  *reinterpret_cast<const uchar4*>(batch.members[warp] + k + lane % 4 * 4),
                  float(quarter_x + lane / 4), float(quarter_y + lane / 4));
    add_bright(quarter, batch, int(light.bright), quarter_x, quarter_y);
    __syncwarp();
  }
  if (drawn &&
      holds(batch, quarter, lists, item, drawn, quarter_x, quarter_y, mean * units, units * kPeak))
    add_to_picture(quarter, tiling, item, quarter_x, quarter_y, units);
  else
    drawn = 0;
  leave(task, item, all & ~drawn);
}

}  // namespace

bool can_draw_products(const Cuda& exec) {
  exec.make_current();
  cudaFuncAttributes kernel{};
  check_cuda(cudaFuncGetAttributes(&kernel, draw_products<PackedSplat>),
             "asking a GPU for its generation");
  return kernel.ptxVersion >= kLeastGeneration && kernel.binaryVersion >= kLeastGeneration;
}

std::size_t most_left(unsigned long long pairs, unsigned items) {
  return std::size_t(pairs / kBatch) + items;
}

template <class S>
void draw_tile_products(Cuda& exec, const TilingStack& stack, const TileLists<S>& lists,
                        unsigned items, const ProductTask& task) {
  prefer_shared_memory<draw_products<S>>(exec);
  draw_products<<<items, kThreads, 0, exec.stream()>>>(stack, lists, task);
  check_cuda(cudaGetLastError(), "large splats");
}

template void draw_tile_products(Cuda&, const TilingStack&, const TileLists<WideSplat>&, unsigned,
                                 const ProductTask&);
template void draw_tile_products(Cuda&, const TilingStack&, const TileLists<PackedSplat>&, unsigned,
                                 const ProductTask&);

}  // namespace haloscope::compute::splotch
