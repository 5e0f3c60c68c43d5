#include "compute/exec/side_stream.cuh"
#include "compute/splotch/phase_timer.cuh"
#include "compute/splotch/pixel_atomics.cuh"
#include "compute/splotch/tile_products.cuh"
#include "compute/splotch/wide_drawing.cuh"
#include "compute/splotch/wide_lists.cuh"

#include <algorithm>
#include <memory>
#include <utility>

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
  if (!lists.has_item(blockIdx.x)) return;
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

// Giants touch many tiles: lists that would outgrow this are drawn in two halves.
constexpr unsigned long long kMostPairs = 1ull << 28;

// The next picture's lists are given more by this part. Short ones vary most.
constexpr unsigned kSparePart = 8;
constexpr unsigned long long kSparePlaces = 1u << 16;
constexpr unsigned kSpareItems = 256;

ListRoom with_spare(const ListRoom& room) {
  return {std::min(room.places + room.places / kSparePart + kSparePlaces, kMostPairs),
          room.items + room.items / kSparePart + kSpareItems};
}

// Room for the pieces that products may leave of lists in so much room.
Buffer<TileItem, Cuda> room_for_left(Cuda& exec, const ListRoom& room, bool multiply) {
  return {exec, multiply ? most_left(room.places, room.items) : 0, "tile lists"};
}

// Draws lists that are being filled, in no more blocks than they have room for; by products where
// there is room for what these leave.
template <Mode M, class S>
void draw_filled(Cuda& exec, WideLists<S>& made, Buffer<TileItem, Cuda>& left) {
  const TilingStack& stack = made.stack();
  const TileLists<S> lists = made.lists();
  const ListRoom room = made.room();
  if (!left.empty()) {
    draw_tile_products(exec, stack, lists, room.items,
                       {made.light(), left.data(), made.left_count()});
    const unsigned grid = unsigned(exec.multiprocessors() * kTileBlocks);
    prefer_shared_memory<draw_items<Profile<M>, S>>(exec);
    draw_items<Profile<M>>
        <<<grid, kTileThreads, 0, exec.stream()>>>(stack, lists, left.data(), made.left_count());
  } else {
    draw_tiles<Profile<M>><<<room.items, kTileThreads, 0, exec.stream()>>>(stack, lists);
  }
  check_cuda(cudaGetLastError(), "large splats");
  made.forget_members();
}

// Waits to see how much room what has been counted needs, and draws it. Returns that room; none
// where there is nothing to draw, or too much for one list.
template <Mode M, class S>
ListRoom draw_counted(Cuda& exec, WideLists<S>& made, bool multiply,
                      const std::function<void()>& listed) {
  const ListRoom room = made.find_room();
  if (room.places == 0) return {};
  if (room.places > kMostPairs && made.count() > 1) {
    const unsigned half = made.count() / 2, rest = made.count() - half;
    const auto draw = [&](const S* splats, unsigned count, const std::function<void()>& then) {
      WideLists<S> part(exec, made.memory(), made.stack(), splats, count, multiply);
      draw_counted<M>(exec, part, multiply, then);
    };
    draw(made.splats(), half, {});
    draw(made.splats() + half, rest, listed);
    return {};
  }
  made.fill(room);
  Buffer<TileItem, Cuda> left = room_for_left(exec, room, multiply);
  if (listed) listed();
  draw_filled<M>(exec, made, left);
  return room.places > kMostPairs ? ListRoom{} : room;
}

}  // namespace

template <Mode M, class S>
void WideDrawing::begin_list(const WideTask& task, const S* splats, ListRoom& room,
                             const std::function<void()>& listed) {
  const bool multiply = M == Mode::Default && !task.exact && can_multiply_;
  const TilingStack stack(task.picture, task.levels);
  const auto made =
      std::make_shared<WideLists<S>>(exec_, memory_, stack, splats, task.count, multiply);
  Buffer<TileItem, Cuda> left;
  const auto fills = [&] {
    if (room.places == 0) return false;
    try {
      made->fill(with_spare(room), found_.on_device());
      left = room_for_left(exec_, made->room(), multiply);
    } catch (const Error&) {
      return false;  // there may be memory for what is really needed
    }
    return true;
  };
  if (!fills()) {
    room = draw_counted<M>(exec_, *made, multiply, listed);
    return;
  }
  found_.mark_written(exec_);
  if (listed) listed();
  draw_filled<M>(exec_, *made, left);
  room_ = &room;
  draw_again_ = [this, made, multiply] { *room_ = draw_counted<M>(exec_, *made, multiply, {}); };
}

template <Mode M>
void WideDrawing::begin(const WideTask& task, const void* particles,
                        const std::function<void()>& listed) {
  draw_again_ = nullptr;  // an error may have left it
  if (task.count == 0) return;
  // Samples that are taken anew lie elsewhere.
  constexpr std::size_t kMostRooms = 256;
  if (rooms_.size() > kMostRooms) rooms_.clear();
  ListRoom& room = rooms_[particles];
  if constexpr (M == Mode::Default)
    if (task.list.packed)
      return begin_list<M>(task, static_cast<const PackedSplat*>(task.list.splats), room, listed);
  begin_list<M>(task, static_cast<const WideSplat*>(task.list.splats), room, listed);
}

double WideDrawing::finish() {
  double milliseconds = 0;
  if (const auto draw_again = std::exchange(draw_again_, nullptr)) {
    const FilledLists& found = found_.wait();
    *room_ = {found.places, found.items};
    if (found.lacks_room) {
      const NamedRange range("lists of tiles again");
      PhaseTimer timer(exec_);
      draw_again();
      timer.stop();
      milliseconds = timer.milliseconds();
    }
  }
  memory_.clear(exec_);
  return milliseconds;
}

template void WideDrawing::begin<Mode::Classic>(const WideTask&, const void*,
                                                const std::function<void()>&);
template void WideDrawing::begin<Mode::Default>(const WideTask&, const void*,
                                                const std::function<void()>&);

}  // namespace haloscope::compute::splotch
