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
// Splats are faint where no peak exceeds the mean light of the tile's pixels divided by this:
// errors of 0.5 % of it are then below 1/255 in any tone curve's steepest part.
constexpr float kFaint = 2;
// On levels, where splats are within 0.02 % of their peaks else, their errors must be no larger
// beside the mean light.
constexpr float kFaintOnLevels = 512;
// Of a splat's light about half falls into each tile that it touches.
constexpr float kShare = 0.5f / (kTile * kTile);
// Of the light in products: far below the largest 16-bit float, far above the smallest.
constexpr float kUnits = 1024.f;

struct alignas(16) ProductSplat {
  float x, y;     // center in the tile, over the scale of lengths
  float inverse;  // kNarrower/radius
  __half2 red_green;
};

struct Batch {
  ProductSplat splats[kBatch + 1];
  __half blue[kBatch + 1];
  // Of each quarter the splats that reach it, filled up with kNothing to whole columns.
  alignas(4) std::uint8_t members[kWarps][kBatch + kProductSplats];
  unsigned tile;
  unsigned brightest[2];  // bits of the largest peak of this batch, and of the next
};

// Returns the largest peak of any channel, in `units`.
__device__ float load(Batch& batch, int at, const WideSplat& s, const TileItem& item, float units) {
  const float inverse = 1 / s.radius;
  const float scale = kNarrower * inverse, light = units * inverse * inverse;
  const float peak[3] = {s.emission[0] * light, s.emission[1] * light, s.emission[2] * light};
  batch.splats[at] = {(float(s.ix - item.x) + s.fx) * scale, (float(s.iy - item.y) + s.fy) * scale,
                      scale, __floats2half2_rn(peak[0], peak[1])};
  batch.blue[at] = __float2half_rn(peak[2]);
  // The light of negative ones is not theirs to lose below.
  if (peak[0] < 0 || peak[1] < 0 || peak[2] < 0) return HUGE_VALF;
  return fmaxf(peak[0], fmaxf(peak[1], peak[2]));
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

// A block per item, a warp per quarter of its tile.
template <class S>
__global__ void __launch_bounds__(kThreads, kBlocks)
    draw_products(const __grid_constant__ TilingStack stack,
                  const __grid_constant__ TileLists<S> lists,
                  const __grid_constant__ ProductTask task, float units) {
  __shared__ Batch batch;
  const TileItem item = item_of_block(stack, lists, batch.tile);
  const WideTiling& tiling = stack.level[item.level];
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  const int quarter_x = warp % 2 * kQuarter, quarter_y = warp / 2 * kQuarter;
  const int row = lane / 4, column = lane % 4 * 2;
  const float faint =
      task.light[item.tile] * (units * kShare / (item.level > 0 ? kFaintOnLevels : kFaint));
  if (threadIdx.x == 0) {
    batch.brightest[0] = batch.brightest[1] = 0;
    batch.splats[kNothing] = {2, 2, 0, __float2half2_rn(0.f)};
    batch.blue[kNothing] = __float2half(0.f);
  }
  Quarter quarter;
  int parity = 0;
  for (unsigned long long first = item.begin; first < item.end; first += kBatch) {
    const int n = int(min((unsigned long long)kBatch, item.end - first));
    __syncthreads();
    float peak = 0;
    for (int k = int(threadIdx.x); k < n; k += kThreads) {
      WideSplat s = unpacked(lists.splats[lists.members[first + unsigned(k)]]);
      if (item.level > 0) s = on_level(s, item.level);
      peak = fmaxf(peak, load(batch, k, s, item, units * kPeak));
    }
    // Bits of positive floats are in their order.
    for (int d = 16; d > 0; d /= 2) peak = fmaxf(peak, __shfl_xor_sync(~0u, peak, d));
    if (lane == 0) atomicMax(&batch.brightest[parity], __float_as_uint(peak));
    __syncthreads();
    const float brightest = __uint_as_float(batch.brightest[parity]);
    parity = 1 - parity;
    if (threadIdx.x == 0) batch.brightest[parity] = 0;
    if (!(brightest <= faint)) {
      if (threadIdx.x == 0) {
        TileItem& left = task.left[atomicAdd(task.left_count, 1u)];
        left = item;
        left.begin = first;
        left.end = first + unsigned(n);
      }
      continue;
    }
    std::uint8_t* const members = batch.members[warp];
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
    for (int k = 0; k < count; k += kProductSplats)
      add_columns(quarter, batch, *reinterpret_cast<const uchar4*>(members + k + lane % 4 * 4),
                  float(quarter_x + row), float(quarter_y + row));
    __syncwarp();
  }
  const float inverse = 1 / units;
  // Beyond a splat's disc, along the diagonals, its products are a little below 0.
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int x = item.x + quarter_x + 8 * half + column + k % 2;
      const int y = item.y + quarter_y + row + 8 * (k / 2);
      const float(&sum)[3][4] = quarter.sum[half];
      if (x < tiling.width && y < tiling.height &&
          (sum[0][k] != 0 || sum[1][k] != 0 || sum[2][k] != 0))
        add_to_pixel(tiling.image + std::size_t(y) * std::size_t(tiling.width) + std::size_t(x),
                     fmaxf(0.f, sum[0][k]) * inverse, fmaxf(0.f, sum[1][k]) * inverse,
                     fmaxf(0.f, sum[2][k]) * inverse);
    }
}

}  // namespace

bool can_draw_products(const Cuda& exec) {
  int major = 0;
  check_cuda(
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, exec.device().number),
      "asking a GPU for its generation");
  return major >= 8;
}

bool can_hold(float brightest) {
  return brightest > 1e-30f && brightest < 1e30f;
}

std::size_t most_left(unsigned long long pairs, unsigned items) {
  return std::size_t(pairs / kBatch) + items;
}

template <class S>
void draw_tile_products(Cuda& exec, const TilingStack& stack, const TileLists<S>& lists,
                        unsigned items, const ProductTask& task) {
  draw_products<<<items, kThreads, 0, exec.stream()>>>(stack, lists, task, kUnits / task.brightest);
  check_cuda(cudaGetLastError(), "large splats");
}

template void draw_tile_products(Cuda&, const TilingStack&, const TileLists<WideSplat>&, unsigned,
                                 const ProductTask&);
template void draw_tile_products(Cuda&, const TilingStack&, const TileLists<PackedSplat>&, unsigned,
                                 const ProductTask&);

}  // namespace haloscope::compute::splotch
