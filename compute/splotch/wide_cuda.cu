#include "compute/splotch/pixel_atomics.cuh"
#include "compute/splotch/tile_products.cuh"
#include "compute/splotch/wide_lists.cuh"

#include <optional>

// Splats of more than a few pixels: listed by image tile, then each tile's pixels sum their splats
// in registers, or, where splats are many and faint, by tile_products.cuh.
namespace haloscope::compute::splotch {

namespace {

constexpr int kSquare = 8;  // side of the part of a tile that eight lanes draw
constexpr int kTileThreads = kTile * kTile / kSquare;
constexpr int kTileBlocks = 8;  // per multiprocessor: 64 registers, which suffice without spilling

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
  std::optional<WideLists<S>> made(std::in_place, exec, stack, splats, count, may_multiply,
                                   RoomGuess::of(count, stack.tiles));
  WideLists<S>& by_tile = *made;
  // Giants touch many tiles: lists that would outgrow this are drawn in two halves.
  constexpr unsigned long long kMostPairs = 1ull << 28;
  do {
    if (by_tile.places() == 0) return;
    if (by_tile.places() > kMostPairs && count > 1) {
      made.reset();
      draw_list<M>(exec, splats, count / 2, picture, levels, exact, {});
      draw_list<M>(exec, splats + count / 2, count - count / 2, picture, levels, exact, listed);
      return;
    }
  } while (!by_tile.fill());
  for (int k = 1; k <= stack.coarsest; ++k) {
    if (!by_tile.uses_level(k)) continue;
    stack.level[k].image = reinterpret_cast<float4*>(levels->level(k).rgba);
    levels->touch(k);
  }
  if (listed) listed();
  const TileLists<S> lists = by_tile.lists();
  const unsigned items = by_tile.items();
  if (may_multiply) {
    Buffer<TileItem, Cuda> left(exec, most_left(by_tile.places(), items), "tile lists");
    Buffer<unsigned, Cuda> left_count(exec, 1, "tile lists");
    exec.zero(left_count.data(), sizeof(unsigned));
    draw_tile_products(exec, stack, lists, items,
                       {by_tile.light(), left.data(), left_count.data()});
    const unsigned grid = unsigned(exec.multiprocessors() * kTileBlocks);
    draw_items<Profile<M>>
        <<<grid, kTileThreads, 0, exec.stream()>>>(stack, lists, left.data(), left_count.data());
  } else {
    draw_tiles<Profile<M>><<<items, kTileThreads, 0, exec.stream()>>>(stack, lists);
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
