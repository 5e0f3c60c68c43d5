#include "compute/exec/buffer.h"
#include "compute/splotch/pixel_atomics.cuh"
#include "compute/splotch/tile_products.cuh"
#include "compute/splotch/wide_tiles.cuh"

#include <thrust/functional.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

// Splats of more than a few pixels: listed by image tile, then each tile's pixels sum their splats
// in registers, or, where splats are many and faint, by tile_products.cuh.
namespace haloscope::compute::splotch {

namespace {

constexpr int kSquare = 8;  // side of the part of a tile that eight lanes draw
constexpr int kTileThreads = kTile * kTile / kSquare;
constexpr int kTileBlocks = 8;  // per multiprocessor: 64 registers, which suffice without spilling
constexpr int kThreads = 256;   // of the kernels that make the lists

// The tiles that a splat may touch.
struct Span {
  int x0, x1, y0, y1;
  float cx, cy, r2;
  unsigned index;  // of the splat
  int columns;     // of tiles in the splat's level
  unsigned first;  // tile of that level
  // Emission of its brightest channel, in the level; below 0 where a channel is.
  float light;
};

__device__ float signed_light(const float (&emission)[3]) {
  const float light = brightest_channel(emission);
  return emission[0] < 0 || emission[1] < 0 || emission[2] < 0 ? -light : light;
}

template <class S>
__device__ Span span_of(const TilingStack& stack, const S& stored, unsigned index) {
  WideSplat s = unpacked(stored);
  const int k = stack.level_of(s.radius);
  if (k > 0) s = on_level(s, k);
  const WideTiling& tiling = stack.level[k];
  const PixelRange x = pixel_range(s.ix, s.fx, s.radius, 0, tiling.width);
  const PixelRange y = pixel_range(s.iy, s.fy, s.radius, 0, tiling.height);
  if (x.first > x.last || y.first > y.last) return {0, -1, 0, -1, 0, 0, 0, index, 0, 0, 0};
  return {x.first / kTile,    x.last / kTile,     y.first / kTile,         y.last / kTile,
          float(s.ix) + s.fx, float(s.iy) + s.fy, s.radius * s.radius,     index,
          tiling.columns,     tiling.first,       signed_light(s.emission)};
}

// Calls f(tile, splat, light) for every tile that the disc of one lane's splat touches. All lanes
// of a warp come together; splats with many tiles are shared out among the lanes.
template <class F>
__device__ void for_each_tile(const Span& span, const F& f) {
  auto visit = [&](const Span& p, int tx, int ty) {
    // Distance from the center to the tile's nearest pixel, with a pixel of slack.
    const float dx =
        fmaxf(0.f, fmaxf(float(tx * kTile) - p.cx, p.cx - float(tx * kTile + kTile - 1)) - 1.f);
    const float dy =
        fmaxf(0.f, fmaxf(float(ty * kTile) - p.cy, p.cy - float(ty * kTile + kTile - 1)) - 1.f);
    if (fmaf(dx, dx, dy * dy) <= p.r2)
      f(p.first + unsigned(ty) * unsigned(p.columns) + unsigned(tx), p.index, p.light);
  };
  constexpr int kAlone = 4;
  const int tiles = (span.x1 - span.x0 + 1) * (span.y1 - span.y0 + 1);
  if (tiles <= kAlone)
    for (int ty = span.y0; ty <= span.y1; ++ty)
      for (int tx = span.x0; tx <= span.x1; ++tx) visit(span, tx, ty);
  unsigned shared = __ballot_sync(~0u, tiles > kAlone);
  while (shared) {
    const int lane = __ffs(int(shared)) - 1;
    shared &= shared - 1;
    Span p;
    p.x0 = __shfl_sync(~0u, span.x0, lane);
    p.x1 = __shfl_sync(~0u, span.x1, lane);
    p.y0 = __shfl_sync(~0u, span.y0, lane);
    p.y1 = __shfl_sync(~0u, span.y1, lane);
    p.cx = __shfl_sync(~0u, span.cx, lane);
    p.cy = __shfl_sync(~0u, span.cy, lane);
    p.r2 = __shfl_sync(~0u, span.r2, lane);
    p.index = __shfl_sync(~0u, span.index, lane);
    p.columns = __shfl_sync(~0u, span.columns, lane);
    p.first = __shfl_sync(~0u, span.first, lane);
    p.light = __shfl_sync(~0u, span.light, lane);
    const int w = p.x1 - p.x0 + 1, n = w * (p.y1 - p.y0 + 1);
    for (int k = int(threadIdx.x % 32); k < n; k += 32) visit(p, p.x0 + k % w, p.y0 + k / w);
  }
}

// Adds 1 to counters[key] for each calling lane and returns the value that the lane met, with one
// atomic for lanes of equal key: particles that follow one another lie in the same few tiles.
template <class T>
__device__ T add_one_for_each(T* counters, unsigned key, unsigned equal) {
  const unsigned lane = threadIdx.x % 32;
  const int leader = __ffs(int(equal)) - 1;
  T base = 0;
  if (int(lane) == leader) base = atomicAdd(&counters[key], T(__popc(equal)));
  return __shfl_sync(equal, base, leader) + T(__popc(equal & ((1u << lane) - 1)));
}
// The calling lanes whose key is this one's.
__device__ inline unsigned lanes_of(unsigned key) {
  return __match_any_sync(__activemask(), key);
}

// The sum of what the lanes of `equal` have; these come together.
__device__ float sum_of(unsigned equal, float own) {
  float sum = 0;
  for (unsigned rest = equal; rest; rest &= rest - 1)
    sum += __shfl_sync(equal, own, __ffs(int(rest)) - 1);
  return sum;
}

// Of long lists, one block in so many adds to the tiles' light, for all of them.
constexpr unsigned kLightSample = 8, kLongList = 1u << 24;

// Counts the splats of each tile, and adds up their light where `tile_light` is not null.
template <class S>
__global__ void count_tiles(const __grid_constant__ TilingStack stack, const S* splats,
                            unsigned count, unsigned* counts, float* tile_light) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Span span{0, -1, 0, -1, 0, 0, 0, i, 0, 0, 0};
  if (i < count) span = span_of(stack, splats[i], i);
  const unsigned stands_for = count < kLongList ? 1 : kLightSample;
  const bool sums = tile_light && blockIdx.x % stands_for == 0;
  for_each_tile(span, [&](unsigned tile, unsigned, float own) {
    const unsigned equal = lanes_of(tile);
    add_one_for_each(counts, tile, equal);
    if (!sums) return;
    const float light = sum_of(equal, own);
    if (int(threadIdx.x % 32) == __ffs(int(equal)) - 1)
      atomicAdd(&tile_light[tile], float(stands_for) * light);
  });
}

template <class S>
__global__ void fill_tiles(const __grid_constant__ TilingStack stack, const S* splats,
                           unsigned count, unsigned long long* cursors, unsigned* members) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Span span{0, -1, 0, -1, 0, 0, 0, i, 0, 0, 0};
  if (i < count) span = span_of(stack, splats[i], i);
  for_each_tile(span, [&](unsigned tile, unsigned index, float) {
    members[add_one_for_each(cursors, tile, lanes_of(tile))] = index;
  });
}

// What the host must know of the lists.
struct ListTotals {
  unsigned long long pairs;
  unsigned items;
  unsigned levels_used;  // a bit per level
};

// One warp.
__global__ void sum_lists(const __grid_constant__ TilingStack stack,
                          const unsigned long long* starts, const unsigned* item_starts,
                          ListTotals* totals) {
  const int k = int(threadIdx.x);
  bool used = false;
  if (k <= stack.coarsest) {
    const unsigned end = k < stack.coarsest ? stack.level[k + 1].first : stack.tiles;
    used = starts[end] > starts[stack.level[k].first];
  }
  const unsigned levels_used = __ballot_sync(~0u, used);
  if (k == 0) *totals = {starts[stack.tiles], item_starts[stack.tiles], levels_used};
}

struct ItemsOf {
  __host__ __device__ unsigned operator()(unsigned count) const {
    return (count + kItem - 1) / kItem;
  }
};

// A splat as the tile kernel keeps it in shared memory, its center relative to the tile, and what
// it adds to eight pixels of a column.
template <class P>
struct alignas(16) TileSplat {
  float column, row;  // of the center's pixel
  float fx, fy;
  float radius;
  float emission[3];
  __device__ void load(const WideSplat& wide, int tile_x, int tile_y) {
    column = float(wide.ix - tile_x);
    row = float(wide.iy - tile_y);
    fx = wide.fx;
    fy = wide.fy;
    radius = wide.radius;
    for (int c = 0; c < 3; ++c) emission[c] = wide.emission[c];
  }
  // Whether the splat's disc reaches a square of pixels.
  __device__ bool meets(float x, float y, float side) const {
    const float left = (x - column) - fx, top = (y - row) - fy;
    const float dx = larger(0.f, larger(left, -(left + side))),
                dy = larger(0.f, larger(top, -(top + side)));
    return fmaf(dx, dx, dy * dy) < radius * radius;
  }
  __device__ void add(float x, float y, float (&sum)[kSquare][3]) const {
    const float dx = (x - column) - fx;
    const float dy = (y - row) - fy;
#pragma unroll
    for (int j = 0; j < kSquare; ++j) {
      const float w = P::weight(dx, dy + float(j), radius);
      for (int c = 0; c < 3; ++c) sum[j][c] = fmaf(w, emission[c], sum[j][c]);
    }
  }
};

// The radial kernel needs no radius but its inverse square, and its norm goes into the emission.
template <>
struct alignas(16) TileSplat<FluxProfile> {
  float column, row;
  float fx, fy;
  float inverse;  // 1/H²
  float emission[3];
  __device__ void load(const WideSplat& wide, int tile_x, int tile_y) {
    column = float(wide.ix - tile_x);
    row = float(wide.iy - tile_y);
    fx = wide.fx;
    fy = wide.fy;
    inverse = 1.f / (wide.radius * wide.radius);
    for (int c = 0; c < 3; ++c) emission[c] = wide.emission[c] * (inverse * 1.59154943f);
  }
  __device__ bool meets(float x, float y, float side) const {
    const float left = (x - column) - fx, top = (y - row) - fy;
    const float dx = larger(0.f, larger(left, -(left + side))),
                dy = larger(0.f, larger(top, -(top + side)));
    return fmaf(dx, dx, dy * dy) * inverse < 1.0001f;
  }
  __device__ void add(float x, float y, float (&sum)[kSquare][3]) const {
    // 1 − d²/H² at the column's middle, from which its other rows differ by −(2 dy j + j²)/H².
    constexpr int kMiddle = kSquare / 2;
    const float dx = (x - column) - fx;
    const float dy = (y + float(kMiddle) - row) - fy;
    const float middle = fmaf(-fmaf(dy, dy, dx * dx), inverse, 1.f);
    const float slope = -2.f * dy * inverse;
#pragma unroll
    for (int j = 0; j < kSquare; ++j) {
      const float from_middle = float(j - kMiddle);
      float q = fmaf(from_middle, slope, fmaf(-from_middle * from_middle, inverse, middle));
      q = larger(0.f, q);
      q *= q;
      q *= q;
      for (int c = 0; c < 3; ++c) sum[j][c] = fmaf(q, emission[c], sum[j][c]);
    }
  }
};

// Where the splats of a batch touch each square of a tile.
struct TileBatch {
  static constexpr int kSplats = 256;
  static constexpr int kSquares = (kTile / kSquare) * (kTile / kSquare);
  std::uint8_t members[kSquares][kSplats];
};

template <class P>
struct TileState {
  TileSplat<P> batch[TileBatch::kSplats];
  TileBatch lists;
  unsigned tile;
};

// Draws up to kItem splats of a tile by one block. Eight lanes own a square of 8 × 8 pixels, a lane
// a column of it, so that a warp works on four splats at a time: each square only meets the splats
// that reach it.
template <class P, class S>
__device__ void draw_item(const TilingStack& stack, const TileLists<S>& tile_lists,
                          const TileItem& item, TileState<P>& state) {
  auto& batch = state.batch;
  auto& lists = state.lists;
  const int level = item.level, tile_x = item.x, tile_y = item.y;
  const WideTiling& tiling = stack.level[level];

  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  // In the tile: small integers, exact as floats. A warp's four squares make a square, too.
  const int warp_x = warp % 2 * 2 * kSquare, warp_y = warp / 2 * 2 * kSquare;
  const int group = lane / kSquare;
  const int column = warp_x + group % 2 * kSquare + lane % kSquare;
  const int row = warp_y + group / 2 * kSquare;
  float sum[kSquare][3] = {};

  for (unsigned long long first = item.begin; first < item.end; first += TileBatch::kSplats) {
    const int n = int(min((unsigned long long)TileBatch::kSplats, item.end - first));
    __syncthreads();
    for (int k = int(threadIdx.x); k < n; k += kTileThreads) {
      WideSplat s = unpacked(tile_lists.splats[tile_lists.members[first + unsigned(k)]]);
      if (level > 0) s = on_level(s, level);
      batch[k].load(s, tile_x, tile_y);
    }
    __syncthreads();
    int count = 0;  // of this lane's square
    {
      int counts[4] = {};
      for (int some = 0; some < n; some += 32) {
        const int k = some + lane;
        const TileSplat<P> s = batch[k < n ? k : 0];
        if (!__any_sync(~0u, k < n && s.meets(float(warp_x), float(warp_y), 2 * kSquare - 1)))
          continue;
#pragma unroll
        for (int g = 0; g < 4; ++g) {
          const bool meets = k < n && s.meets(float(warp_x + g % 2 * kSquare),
                                              float(warp_y + g / 2 * kSquare), kSquare - 1);
          const unsigned mask = __ballot_sync(~0u, meets);
          if (meets)
            lists.members[4 * warp + g][counts[g] + __popc(mask & ((1u << lane) - 1))] =
                std::uint8_t(k);
          counts[g] += __popc(mask);
        }
      }
#pragma unroll
      for (int g = 0; g < 4; ++g) count = group == g ? counts[g] : count;
    }
    __syncwarp();
    const std::uint8_t* mine = lists.members[4 * warp + group];
    int next = mine[0];  // read ahead: its use waits for it
    for (int k = 0; k < count; ++k) {
      const int at = next;
      next = mine[min(k + 1, TileBatch::kSplats - 1)];
      batch[at].add(float(column), float(row), sum);
    }
    __syncwarp();
  }
  const int x = tile_x + column, y = tile_y + row;
  if (x >= tiling.width) return;
  for (int j = 0; j < kSquare; ++j)
    if (y + j < tiling.height && (sum[j][0] != 0 || sum[j][1] != 0 || sum[j][2] != 0))
      add_to_pixel(tiling.image + std::size_t(y + j) * std::size_t(tiling.width) + std::size_t(x),
                   sum[j][0], sum[j][1], sum[j][2]);
}

// Block b draws the splats of the tile whose items include b.
template <class P, class S>
__global__ void __launch_bounds__(kTileThreads, kTileBlocks)
    draw_tiles(const __grid_constant__ TilingStack stack,
               const __grid_constant__ TileLists<S> lists) {
  __shared__ TileState<P> state;
  draw_item(stack, lists, item_of_block(stack, lists, state.tile), state);
}

// The same of pieces that are given.
template <class P, class S>
__global__ void __launch_bounds__(kTileThreads, kTileBlocks)
    draw_items(const __grid_constant__ TilingStack stack,
               const __grid_constant__ TileLists<S> lists, const TileItem* items,
               const unsigned* count) {
  __shared__ TileState<P> state;
  for (unsigned k = blockIdx.x; k < *count; k += gridDim.x) {
    __syncthreads();
    draw_item(stack, lists, items[k], state);
  }
}

}  // namespace

template <Mode M, class S>
static void draw_list(Cuda& exec, const S* splats, unsigned count, const Cells& picture,
                      Levels<Cuda>* levels, bool exact, const std::function<void()>& listed) {
  if (count == 0) return;
  const bool may_multiply = M == Mode::Default && !exact && can_draw_products(exec);
  TilingStack stack(picture, levels);
  const unsigned tiles = stack.tiles;
  Buffer<unsigned, Cuda> counts(exec, tiles + 1, "tile lists");
  Buffer<unsigned, Cuda> item_starts(exec, tiles + 1, "tile lists");
  Buffer<unsigned long long, Cuda> starts(exec, tiles + 1, "tile lists");
  Buffer<unsigned long long, Cuda> cursors(exec, tiles + 1, "tile lists");
  exec.zero(counts.data(), (tiles + 1) * sizeof(unsigned));
  const unsigned blocks = (count + kThreads - 1) / kThreads;
  Buffer<float, Cuda> light(exec, may_multiply ? tiles : 0, "tile lists");
  exec.zero(light.data(), light.size() * sizeof(float));
  count_tiles<<<blocks, kThreads, 0, exec.stream()>>>(stack, splats, count, counts.data(),
                                                      light.data());
  check_cuda(cudaGetLastError(), "counting splats by tile");
  thrust::exclusive_scan(exec.policy(), counts.begin(), counts.end(), starts.begin(), 0ull);
  thrust::transform_exclusive_scan(exec.policy(), counts.begin(), counts.end(), item_starts.begin(),
                                   ItemsOf{}, 0u, thrust::plus<unsigned>());
  Buffer<ListTotals, Cuda> totals_here(exec, 1, "tile lists");
  sum_lists<<<1, 32, 0, exec.stream()>>>(stack, starts.data(), item_starts.data(),
                                         totals_here.data());
  check_cuda(cudaGetLastError(), "summing tile lists");
  ListTotals totals{};
  exec.download(&totals, totals_here.data(), sizeof(totals));
  if (totals.pairs == 0) return;
  // Giants touch many tiles: lists that would outgrow this are drawn in two halves.
  constexpr unsigned long long kMostPairs = 1ull << 28;
  if (totals.pairs > kMostPairs && count > 1) {
    draw_list<M>(exec, splats, count / 2, picture, levels, exact, {});
    draw_list<M>(exec, splats + count / 2, count - count / 2, picture, levels, exact, listed);
    return;
  }
  for (int k = 1; k <= stack.coarsest; ++k) {
    if (!(totals.levels_used >> k & 1)) continue;
    stack.level[k].image = reinterpret_cast<float4*>(levels->level(k).rgba);
    levels->touch(k);
  }
  Buffer<unsigned, Cuda> members(exec, totals.pairs, "tile lists");
  check_cuda(
      cudaMemcpyAsync(cursors.data(), starts.data(), (tiles + 1) * sizeof(unsigned long long),
                      cudaMemcpyDeviceToDevice, exec.stream()),
      "copying tile lists");
  fill_tiles<<<blocks, kThreads, 0, exec.stream()>>>(stack, splats, count, cursors.data(),
                                                     members.data());
  check_cuda(cudaGetLastError(), "listing splats by tile");
  if (listed) listed();
  const TileLists<S> lists{splats, members.data(), starts.data(), item_starts.data()};
  if (may_multiply) {
    Buffer<TileItem, Cuda> left(exec, most_left(totals.pairs, totals.items), "tile lists");
    Buffer<unsigned, Cuda> left_count(exec, 1, "tile lists");
    exec.zero(left_count.data(), sizeof(unsigned));
    draw_tile_products(exec, stack, lists, totals.items,
                       {light.data(), left.data(), left_count.data()});
    const unsigned grid = unsigned(exec.multiprocessors() * kTileBlocks);
    draw_items<Profile<M>>
        <<<grid, kTileThreads, 0, exec.stream()>>>(stack, lists, left.data(), left_count.data());
  } else {
    draw_tiles<Profile<M>><<<totals.items, kTileThreads, 0, exec.stream()>>>(stack, lists);
  }
  check_cuda(cudaGetLastError(), "large splats");
}

template <Mode M>
void draw_wide(Cuda& exec, const SplatList& list, unsigned count, const Cells& picture,
               Levels<Cuda>* levels, bool exact, const std::function<void()>& listed) {
  if constexpr (M == Mode::Default)
    if (list.packed)
      return draw_list<M>(exec, static_cast<const PackedSplat*>(list.splats), count, picture,
                          levels, exact, listed);
  draw_list<M>(exec, static_cast<const WideSplat*>(list.splats), count, picture, levels, exact,
               listed);
}

template void draw_wide<Mode::Classic>(Cuda&, const SplatList&, unsigned, const Cells&,
                                       Levels<Cuda>*, bool, const std::function<void()>&);
template void draw_wide<Mode::Default>(Cuda&, const SplatList&, unsigned, const Cells&,
                                       Levels<Cuda>*, bool, const std::function<void()>&);

}  // namespace haloscope::compute::splotch
