#include "compute/exec/side_stream.cuh"
#include "compute/splotch/wide_lists.cuh"

#include <thrust/transform_scan.h>

#include <cstdint>

namespace haloscope::compute::splotch {

namespace {

constexpr int kThreads = 256;
constexpr int kFewTiles = 4;
constexpr unsigned kNothing = ~0u;

// The tiles that a splat may touch.
struct Span {
  int x0, x1, y0, y1;
  float cx, cy, r2;
  unsigned index;  // of the splat
  int columns;     // of tiles in the splat's level
  unsigned first;  // tile of that level
  // Emission of its brightest channel, in the level; below 0 where a channel is.
  float light;

  // Squares of the distances from the center to the nearest pixel of column `tx` of tiles, and of
  // row `ty`, with a pixel of slack.
  __device__ float beside(int tx) const { return squared_gap(float(tx * kTile) - cx); }
  __device__ float above(int ty) const { return squared_gap(float(ty * kTile) - cy); }
  __device__ unsigned tile(int tx, int ty) const {
    return first + unsigned(ty) * unsigned(columns) + unsigned(tx);
  }
  // Whether they lie within 2 × 2: those of discs of up to kTile / 2 do.
  __device__ bool has_few() const { return x1 - x0 <= 1 && y1 - y0 <= 1; }

 private:
  __device__ static float squared_gap(float to_first) {
    const float gap = fmaxf(0.f, fmaxf(to_first, -to_first - float(kTile - 1)) - 1.f);
    return gap * gap;
  }
};

__device__ float signed_light(const float (&emission)[3]) {
  const float light = brightest_channel(emission);
  return emission[0] < 0 || emission[1] < 0 || emission[2] < 0 ? -light : light;
}

template <class S>
__device__ Span span_of(const TilingStack& stack, const S* splats, unsigned index, unsigned count) {
  const Span nothing{0, -1, 0, -1, 0, 0, 0, index, 0, 0, 0};
  if (index >= count) return nothing;
  WideSplat s = unpacked(splats[index]);
  const int k = stack.level_of(s.radius);
  if (k > 0) s = on_level(s, k);
  const WideTiling& tiling = stack.level[k];
  const PixelRange x = pixel_range(s.ix, s.fx, s.radius, 0, tiling.width);
  const PixelRange y = pixel_range(s.iy, s.fy, s.radius, 0, tiling.height);
  if (x.first > x.last || y.first > y.last) return nothing;
  return {x.first / kTile,    x.last / kTile,     y.first / kTile,         y.last / kTile,
          float(s.ix) + s.fx, float(s.iy) + s.fy, s.radius * s.radius,     index,
          tiling.columns,     tiling.first,       signed_light(s.emission)};
}

// The tiles that the disc of a splat touches where they lie within 2 × 2, and kNothing in place of
// others.
struct FewTiles {
  unsigned tile[kFewTiles];

  __device__ explicit FewTiles(const Span& span) {
    const float beside[2] = {span.beside(span.x0), span.beside(span.x0 + 1)};
    const float above[2] = {span.above(span.y0), span.above(span.y0 + 1)};
#pragma unroll
    for (int k = 0; k < kFewTiles; ++k) {
      const int tx = span.x0 + k % 2, ty = span.y0 + k / 2;
      const bool touches = span.has_few() && tx <= span.x1 && ty <= span.y1 &&
                           beside[k % 2] + above[k / 2] <= span.r2;
      tile[k] = touches ? span.tile(tx, ty) : kNothing;
    }
  }
};

// Calls f(tile, splat, light) for each tile that the disc of any other splat touches. All lanes of
// a warp come together, and share the tiles of each such splat.
template <class F>
__device__ void for_many_tiles(const Span& span, const F& f) {
  unsigned shared = __ballot_sync(~0u, !span.has_few());
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
    for (int k = int(threadIdx.x % 32); k < n; k += 32) {
      const int tx = p.x0 + k % w, ty = p.y0 + k / w;
      if (p.beside(tx) + p.above(ty) <= p.r2) f(p.tile(tx, ty), p.index, p.light);
    }
  }
}

// The sum of what the lanes of `equal` have; these come together.
__device__ float sum_of(unsigned equal, float own) {
  float sum = 0;
  for (unsigned rest = equal; rest; rest &= rest - 1)
    sum += __shfl_sync(equal, own, __ffs(int(rest)) - 1);
  return sum;
}

// Lanes of a warp whose tile is the same; all lanes come together.
__device__ unsigned lanes_of(unsigned tile) {
  return __match_any_sync(~0u, tile);
}
__device__ int leader_of(unsigned lanes) {
  return __ffs(int(lanes)) - 1;
}
__device__ bool leads(unsigned lanes, unsigned tile) {
  return tile != kNothing && int(threadIdx.x % 32) == leader_of(lanes);
}

// One splat of each `sample` that follow one another in the list, not always the same one.
__device__ unsigned sampled(unsigned index, unsigned sample) {
  return index * sample + (index * 2654435769u >> 16) % sample;
}

// Counts the splats of each tile, of which one in `sample` is looked at, and adds up their light
// times `sample` where `tile_light` is not null.
template <class S>
__global__ void __launch_bounds__(kThreads)
    count_by_tile(const __grid_constant__ TilingStack stack, const S* splats, unsigned count,
                  unsigned sample, unsigned* counts, float* tile_light) {
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  const bool exists = std::uint64_t(index) * sample < count;
  const Span span = span_of(stack, splats, exists ? sampled(index, sample) : count, count);
  const FewTiles few(span);
#pragma unroll
  for (const unsigned tile : few.tile) {
    const unsigned lanes = lanes_of(tile);
    if (leads(lanes, tile)) atomicAdd(&counts[tile], unsigned(__popc(lanes)));
    if (!tile_light || tile == kNothing) continue;
    // Few of a sample share a tile with others of their warp.
    const float light = sample > 1 ? float(sample) * span.light : sum_of(lanes, span.light);
    if (sample > 1 || leads(lanes, tile)) atomicAdd(&tile_light[tile], light);
  }
  for_many_tiles(span, [&](unsigned tile, unsigned, float light) {
    atomicAdd(&counts[tile], 1u);
    if (tile_light) atomicAdd(&tile_light[tile], float(sample) * light);
  });
}

// Lists the splats of each tile from ends[tile] on, up to starts[tile + 1] or the end of the room.
template <class S>
__global__ void __launch_bounds__(kThreads)
    fill_tiles(const __grid_constant__ TilingStack stack, const S* splats, unsigned count,
               const ListStart* starts, unsigned* ends, unsigned* members, unsigned room) {
  // The first of the next n places of a tile; kNothing where these are not there.
  const auto take = [&](unsigned tile, unsigned n) {
    const unsigned first = atomicAdd(&ends[tile], n);
    return first + n <= min(unsigned(starts[tile + 1].place), room) ? first : kNothing;
  };
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  const Span span = span_of(stack, splats, index, count);
  const FewTiles few(span);
  unsigned lanes[kFewTiles], first[kFewTiles];
  // All are asked for before one is waited for.
#pragma unroll
  for (int k = 0; k < kFewTiles; ++k) {
    const unsigned tile = few.tile[k];
    lanes[k] = lanes_of(tile);
    first[k] = leads(lanes[k], tile) ? take(tile, unsigned(__popc(lanes[k]))) : kNothing;
  }
  const unsigned before = (1u << threadIdx.x % 32) - 1;
#pragma unroll
  for (int k = 0; k < kFewTiles; ++k) {
    const unsigned of_tile = __shfl_sync(~0u, first[k], leader_of(lanes[k]));
    if (few.tile[k] != kNothing && of_tile != kNothing)
      members[of_tile + unsigned(__popc(lanes[k] & before))] = index;
  }
  for_many_tiles(span, [&](unsigned tile, unsigned at, float) {
    const unsigned place = take(tile, 1);
    if (place != kNothing) members[place] = at;
  });
}

// The room that a tile's count asks for, to be summed.
struct RoomOf {
  RoomGuess guess;
  __host__ __device__ ListStart operator()(unsigned count) const {
    unsigned long long places = count;
    if (guess.sample > 1) {
      const float c = float(count);
      places = (unsigned long long)(c + guess.deviations * sqrtf(c) + guess.spare) * guess.sample;
    }
    return {places, unsigned((places + kItem - 1) / kItem)};
  }
};
struct SumOfRoom {
  __host__ __device__ ListStart operator()(const ListStart& a, const ListStart& b) const {
    return {a.place + b.place, a.item + b.item};
  }
};

// The light of a tile is told from no fewer splats of a sample: one bright one among them would
// stand for as many as the sample leaves out.
constexpr unsigned kTellingSplats = 16;

__global__ void begin_lists(unsigned tiles, const ListStart* starts, unsigned* ends,
                            const unsigned* counts, unsigned sample, float* tile_light,
                            unsigned room) {
  const unsigned tile = blockIdx.x * kThreads + threadIdx.x;
  if (tile >= tiles) return;
  // Lists that lack room get none of it, as places of too many pairs may not fit 32 bits.
  ends[tile] = starts[tiles].place <= room ? unsigned(starts[tile].place) : room;
  if (tile_light && sample > 1 && counts[tile] < kTellingSplats) tile_light[tile] = 0;
}

__global__ void check_lists(unsigned tiles, const ListStart* starts, const unsigned* ends,
                            ListRoom room, FilledLists* filled) {
  const unsigned tile = blockIdx.x * kThreads + threadIdx.x;
  if (tile >= tiles) return;
  const ListStart all = starts[tiles];
  const bool fits = all.place <= room.places && all.item <= room.items;
  if (tile == 0) {
    filled->places = all.place;
    filled->items = all.item;
    if (!fits) atomicOr(&filled->faults, FilledLists::kLackRoom);
  }
  if (fits && ends[tile] > unsigned(starts[tile + 1].place))
    atomicOr(&filled->faults, FilledLists::kGuessedLow);
}

unsigned blocks_for(std::uint64_t threads) {
  return unsigned((threads + kThreads - 1) / kThreads);
}

}  // namespace

template <class S>
WideLists<S>::WideLists(Cuda& exec, const TilingStack& stack, const S* splats, unsigned count,
                        bool sums_light, RoomGuess guess)
    : exec_(exec),
      stack_(stack),
      splats_(splats),
      count_(count),
      guess_(guess),
      counts_(exec, stack.tiles + 1, "tile lists"),
      ends_(exec, stack.tiles, "tile lists"),
      starts_(exec, stack.tiles + 1, "tile lists"),
      light_(exec, sums_light ? stack.tiles : 0, "tile lists"),
      filled_(exec, 1, "tile lists") {
  count_tiles();
}

template <class S>
void WideLists<S>::count_tiles() {
  exec_.zero(counts_.data(), counts_.size() * sizeof(unsigned));
  exec_.zero(light_.data(), light_.size() * sizeof(float));
  const std::uint64_t looked_at = (std::uint64_t(count_) + guess_.sample - 1) / guess_.sample;
  prefer_shared_memory<count_by_tile<S>>(exec_);
  count_by_tile<<<blocks_for(looked_at), kThreads, 0, exec_.stream()>>>(
      stack_, splats_, count_, guess_.sample, counts_.data(), light_.data());
  check_cuda(cudaGetLastError(), "counting splats by tile");
  thrust::transform_exclusive_scan(exec_.policy(), counts_.begin(), counts_.end(), starts_.begin(),
                                   RoomOf{guess_}, ListStart{0, 0}, SumOfRoom{});
}

template <class S>
void WideLists<S>::count_all() {
  if (guess_.sample == 1) throw Error("lists of splats by tile have more than was counted");
  guess_.sample = 1;
  forget_members();
  count_tiles();
}

template <class S>
ListRoom WideLists<S>::find_room() const {
  ListStart end{};
  exec_.download(&end, starts_.data() + stack_.tiles, sizeof(end));
  return {end.place, end.item};
}

template <class S>
void WideLists<S>::fill(const ListRoom& room) {
  room_ = room;
  forget_members();
  members_ = Buffer<unsigned, Cuda>(exec_, room.places, "tile lists");
  prefer_shared_memory<begin_lists>(exec_);
  prefer_shared_memory<fill_tiles<S>>(exec_);
  prefer_shared_memory<check_lists>(exec_);
  begin_lists<<<blocks_for(stack_.tiles), kThreads, 0, exec_.stream()>>>(
      stack_.tiles, starts_.data(), ends_.data(), counts_.data(), guess_.sample, light_.data(),
      unsigned(room.places));
  check_cuda(cudaGetLastError(), "listing splats by tile");
  fill_tiles<<<blocks_for(count_), kThreads, 0, exec_.stream()>>>(
      stack_, splats_, count_, starts_.data(), ends_.data(), members_.data(),
      unsigned(room.places));
  check_cuda(cudaGetLastError(), "listing splats by tile");
  exec_.zero(filled_.data(), sizeof(FilledLists));
  check_lists<<<blocks_for(stack_.tiles), kThreads, 0, exec_.stream()>>>(
      stack_.tiles, starts_.data(), ends_.data(), room, filled_.data());
  check_cuda(cudaGetLastError(), "listing splats by tile");
}

template <class S>
FilledLists WideLists<S>::wait_filled() const {
  FilledLists filled{};
  exec_.download(&filled, filled_.data(), sizeof(filled));
  return filled;
}

template class WideLists<WideSplat>;
template class WideLists<PackedSplat>;

}  // namespace haloscope::compute::splotch
