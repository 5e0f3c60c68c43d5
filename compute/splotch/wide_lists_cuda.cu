#include "compute/exec/side_stream.cuh"
#include "compute/splotch/light_sums.cuh"
#include "compute/splotch/narrow_splats.cuh"
#include "compute/splotch/touched_tiles.cuh"
#include "compute/splotch/wide_lists.cuh"

#include <cub/block/block_scan.cuh>
#include <thrust/transform_scan.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace haloscope::compute::splotch {

namespace {

constexpr int kThreads = 256;
// Of the kernels whose blocks count for themselves.
constexpr int kBlockThreads = 512, kBlocks = 2;  // per multiprocessor
// So that kBlocks of them fit a multiprocessor: pictures of up to 4096², with their levels.
constexpr unsigned kMostBlockTiles = 24 * 1024 - 1;
constexpr unsigned kLeastShare = 2048;  // splats of a block
constexpr int kAtOnce = 4;              // splats, or tiles, of a thread
constexpr unsigned kNothing = ~0u;

__device__ WideSplat nothing_of(const WideSplat&) {
  return {-1000, -1000, 0, 0, 0, {0, 0, 0}};
}
__device__ PackedSplat nothing_of(const PackedSplat&) {
  return packed_nothing();
}
// A splat of a list of so many, or one that touches no tile.
template <class S>
__device__ S read_splat(const S* splats, unsigned index, unsigned count) {
  return index < count ? splats[index] : nothing_of(S());
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

// The splats that a block counts, and lists: all blocks get about as many.
struct BlockShare {
  unsigned first, end;
  __device__ explicit BlockShare(unsigned count) {
    const auto part = [&](unsigned block) {
      return unsigned(std::uint64_t(count) * block / gridDim.x);
    };
    first = part(blockIdx.x);
    end = part(blockIdx.x + 1);
  }
};

// Reads the splats of a block's share, kAtOnce a thread, so many ahead: fewer warps run at once
// than would hide the way to memory.
template <class S>
class SplatReader {
 public:
  __device__ SplatReader(const S* splats, const BlockShare& share)
      : splats_(splats), end_(share.end) {
    load(share.first + threadIdx.x);
  }
  // Those from `index` on that are kBlockThreads apart, which come next.
  __device__ void read(unsigned index, S (&own)[kAtOnce]) {
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) own[u] = ahead_[u];
    load(index + unsigned(kAtOnce * kBlockThreads));
  }

 private:
  __device__ void load(unsigned index) {
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u)
      ahead_[u] = read_splat(splats_, index + unsigned(u * kBlockThreads), end_);
  }
  const S* splats_;
  unsigned end_;
  S ahead_[kAtOnce];
};

// Calls f(exists, u) for each bit u of a lane, by whole warps: lanes that have no more come along.
template <class F>
__device__ void for_others(unsigned bits, const F& f) {
  while (__any_sync(~0u, bits != 0)) {
    f(bits != 0, __ffs(int(bits)) - 1);
    bits &= bits - 1;
  }
}

// Calls f(tile, exists) with kAtOnce tiles of a thread at a time, so that it need not wait for
// each.
template <class F>
__device__ void for_tiles(unsigned tiles, const F& f) {
  for (unsigned some = threadIdx.x; some < tiles; some += kAtOnce * kBlockThreads) {
    unsigned tile[kAtOnce];
    bool exists[kAtOnce];
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      tile[u] = some + unsigned(u * kBlockThreads);
      exists[u] = tile[u] < tiles;
    }
    f(tile, exists);
  }
}

// Where each block that counts keeps its numbers.
struct BlockCounts {
  unsigned* of_all;  // of each tile
  unsigned* before;  // of each block and tile: those of blocks that came there before it
  unsigned* done;    // blocks
};

struct SumOfRoom {
  __host__ __device__ ListStart operator()(const ListStart& a, const ListStart& b) const {
    return {a.place + b.place, a.item + b.item};
  }
};
struct RoomOf {
  __host__ __device__ ListStart operator()(unsigned count) const {
    return {count, (count + kItem - 1) / kItem};
  }
};

// Sums counts to starts[0] to starts[tiles], by a block. `own`: shared memory for the counts.
__device__ void sum_counts(unsigned tiles, const unsigned* counts, unsigned* own,
                           ListStart* starts) {
  using Scan = cub::BlockScan<ListStart, kBlockThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage shared;
  // Others have counted: none of it may come from the L1 cache.
  for (unsigned tile = threadIdx.x; tile < tiles; tile += kBlockThreads)
    own[tile] = __ldcg(&counts[tile]);
  __syncthreads();
  const unsigned each = (tiles + kBlockThreads - 1) / kBlockThreads;
  const unsigned first = min(tiles, threadIdx.x * each), end = min(tiles, first + each);
  ListStart start{0, 0}, all;
  for (unsigned tile = first; tile < end; ++tile) start = SumOfRoom()(start, RoomOf()(own[tile]));
  Scan(shared).ExclusiveScan(start, start, ListStart{0, 0}, SumOfRoom(), all);
  for (unsigned tile = first; tile < end; ++tile) {
    starts[tile] = start;
    start = SumOfRoom()(start, RoomOf()(own[tile]));
  }
  if (threadIdx.x == 0) starts[tiles] = all;
}

// Counts the splats of each tile, each block its share in shared memory. The last one to be done
// sums the counts.
template <class S>
__global__ void __launch_bounds__(kBlockThreads, kBlocks)
    count_by_block(const __grid_constant__ TilingStack stack, const S* splats, unsigned count,
                   BlockCounts counts, LightSums light, ListStart* starts) {
  extern __shared__ unsigned of_tile[];  // and one behind them, of no tile
  __shared__ bool is_last;
  for (unsigned tile = threadIdx.x; tile < stack.tiles; tile += kBlockThreads) of_tile[tile] = 0;
  __syncthreads();
  const BlockShare share(count);
  SplatReader<S> reader(splats, share);
  for (unsigned some = share.first; some < share.end; some += kAtOnce * kBlockThreads) {
    const unsigned index = some + threadIdx.x;
    S own[kAtOnce];
    reader.read(index, own);
    unsigned others = 0;  // a bit for each
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      FewTiles few;
      others |= unsigned(!find_few(stack.level[0], own[u], few)) << u;
#pragma unroll
      for (int k = 0; k < kFewTiles; ++k)
        atomicAdd(&of_tile[few.touched[k] ? few.tile(k) : stack.tiles], 1u);
    }
    const unsigned chosen = light.chosen(index);
    if (light.of_tile && light.sample > 1) {
      S splat = own[0];
#pragma unroll
      for (int u = 1; u < kAtOnce; ++u)
        if (chosen == unsigned(u)) splat = own[u];
      FewTiles few;
      if (chosen < kAtOnce && find_few(stack.level[0], splat, few)) light.add(stack, splat, few);
    }
    for_others(others, [&](bool exists, int u) {
      const unsigned at = index + unsigned(u * kBlockThreads);
      const S splat = read_splat(splats, at, exists ? share.end : 0);
      const Touched touched(stack, splat, at);
#pragma unroll
      for (int k = 0; k < kFewTiles; ++k)
        if (touched.few.touched[k]) atomicAdd(&of_tile[touched.few.tile(k)], 1u);
      for_many_tiles(touched.span, [&](unsigned tile, unsigned) { atomicAdd(&of_tile[tile], 1u); });
      if (light.of_tile && light.sample > 1 && chosen == unsigned(u))
        light.add(stack, splat, touched);
    });
    if (light.of_tile && light.sample == 1)
#pragma unroll 1
      for (int u = 0; u < kAtOnce; ++u) {
        const unsigned at = index + unsigned(u * kBlockThreads);
        const S splat = read_splat(splats, at, share.end);
        FewTiles few;
        if (find_few(stack.level[0], splat, few))
          light.add(stack, splat, few);
        else
          light.add(stack, splat, Touched(stack, splat, at));
      }
  }
  __syncthreads();
  unsigned* const before = counts.before + std::size_t(blockIdx.x) * stack.tiles;
  for_tiles(stack.tiles, [&](const unsigned(&tile)[kAtOnce], const bool(&exists)[kAtOnce]) {
    unsigned own[kAtOnce], earlier[kAtOnce];
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) own[u] = exists[u] ? of_tile[tile[u]] : 0;
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u)
      if (own[u]) earlier[u] = atomicAdd(&counts.of_all[tile[u]], own[u]);
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u)
      if (own[u]) before[tile[u]] = earlier[u];
  });
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(counts.done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  sum_counts(stack.tiles, counts.of_all, of_tile, starts);
}

// Where it is told what came of filling lists: to those who draw them, and to the host.
struct Telling {
  FilledLists* filled;
  FilledLists* told;  // may be null

  // Whether they have room.
  __device__ bool check(const ListStart& all, const ListRoom& room) const {
    const bool fits = all.place <= room.places && all.item <= room.items;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *filled = {all.place, all.item, !fits};
      if (told) *told = {all.place, all.item, !fits};
    }
    return fits;
  }
};

// Lists what count_by_block() has counted, by as many blocks.
template <class S>
__global__ void __launch_bounds__(kBlockThreads, kBlocks)
    list_by_block(const __grid_constant__ TilingStack stack, const S* splats, unsigned count,
                  const ListStart* starts, const unsigned* all_before, unsigned* members,
                  ListRoom room, Telling telling) {
  extern __shared__ unsigned next[];  // of each tile: the place of the block's next splat
  if (!telling.check(starts[stack.tiles], room)) return;
  const unsigned* const before = all_before + std::size_t(blockIdx.x) * stack.tiles;
  // Where the block has no splat, what it finds has no meaning.
  for_tiles(stack.tiles, [&](const unsigned(&tile)[kAtOnce], const bool(&exists)[kAtOnce]) {
    unsigned first[kAtOnce];
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u)
      if (exists[u]) first[u] = unsigned(starts[tile[u]].place) + before[tile[u]];
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u)
      if (exists[u]) next[tile[u]] = first[u];
  });
  __syncthreads();
  const BlockShare share(count);
  SplatReader<S> reader(splats, share);
  for (unsigned some = share.first; some < share.end; some += kAtOnce * kBlockThreads) {
    const unsigned index = some + threadIdx.x;
    S own[kAtOnce];
    reader.read(index, own);
    unsigned others = 0;  // a bit for each
    FewTiles few[kAtOnce];
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      others |= unsigned(!find_few(stack.level[0], own[u], few[u])) << u;
    }
#pragma unroll
    for (int k = 0; k < kFewTiles; ++k) {
      unsigned place[kAtOnce];
      // All are asked for before one is waited for.
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u)
        if (few[u].touched[k]) place[u] = atomicAdd(&next[few[u].tile(k)], 1u);
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u)
        if (few[u].touched[k]) members[place[u]] = index + unsigned(u * kBlockThreads);
    }
    for_others(others, [&](bool exists, int u) {
      const unsigned at = index + unsigned(u * kBlockThreads);
      const Touched touched(stack, read_splat(splats, at, exists ? share.end : 0), at);
#pragma unroll
      for (int k = 0; k < kFewTiles; ++k)
        if (touched.few.touched[k]) members[atomicAdd(&next[touched.few.tile(k)], 1u)] = at;
      for_many_tiles(touched.span, [&](unsigned tile, unsigned splat) {
        members[atomicAdd(&next[tile], 1u)] = splat;
      });
    });
  }
}

// The same for more tiles than a block has shared memory for: counts and places are those of all.
template <class S>
__global__ void __launch_bounds__(kThreads)
    count_by_tile(const __grid_constant__ TilingStack stack, const S* splats, unsigned count,
                  unsigned* counts, LightSums light) {
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  const Touched touched(stack, read_splat(splats, index, count), index);
#pragma unroll
  for (int k = 0; k < kFewTiles; ++k) {
    const unsigned tile = touched.few.touched[k] ? touched.few.tile(k) : kNothing;
    const unsigned lanes = lanes_of(tile);
    if (leads(lanes, tile)) atomicAdd(&counts[tile], unsigned(__popc(lanes)));
  }
  for_many_tiles(touched.span, [&](unsigned tile, unsigned) { atomicAdd(&counts[tile], 1u); });
  if (light.of_tile && index < count && light.chosen(index / light.sample) == index % light.sample)
    light.add(stack, unpacked(splats[index]), touched);
}

__global__ void begin_lists(unsigned tiles, const ListStart* starts, unsigned* next, ListRoom room,
                            Telling telling) {
  const unsigned tile = blockIdx.x * kThreads + threadIdx.x;
  if (telling.check(starts[tiles], room) && tile < tiles) next[tile] = unsigned(starts[tile].place);
}

template <class S>
__global__ void __launch_bounds__(kThreads)
    list_by_tile(const __grid_constant__ TilingStack stack, const S* splats, unsigned count,
                 unsigned* next, unsigned* members, const FilledLists* filled) {
  if (filled->lacks_room) return;
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  const Touched touched(stack, read_splat(splats, index, count), index);
  unsigned tiles[kFewTiles], lanes[kFewTiles], first[kFewTiles];
  // All are asked for before one is waited for.
#pragma unroll
  for (int k = 0; k < kFewTiles; ++k) {
    tiles[k] = touched.few.touched[k] ? touched.few.tile(k) : kNothing;
    lanes[k] = lanes_of(tiles[k]);
    first[k] =
        leads(lanes[k], tiles[k]) ? atomicAdd(&next[tiles[k]], unsigned(__popc(lanes[k]))) : 0;
  }
  const unsigned lower_lanes = (1u << threadIdx.x % 32) - 1;
#pragma unroll
  for (int k = 0; k < kFewTiles; ++k) {
    const unsigned of_tile = __shfl_sync(~0u, first[k], leader_of(lanes[k]));
    if (tiles[k] != kNothing) members[of_tile + unsigned(__popc(lanes[k] & lower_lanes))] = index;
  }
  for_many_tiles(touched.span,
                 [&](unsigned tile, unsigned at) { members[atomicAdd(&next[tile], 1u)] = at; });
}

unsigned blocks_for(std::uint64_t threads) {
  return unsigned((threads + kThreads - 1) / kThreads);
}

// Light is summed of all splats of short lists, and of longer ones of one splat in so many that a
// tile has some hundred of them: additions to a few thousand tiles wait for each other.
unsigned light_sample_of(unsigned count, unsigned tiles) {
  constexpr unsigned kShort = 1u << 14, kOfTile = 32;
  if (count < kShort) return 1;
  return std::clamp(std::bit_floor(count / kOfTile / tiles), 4u, 64u);
}
// The light of a tile is told from about so many splats of a sample at least: a bright one among
// fewer would stand for as many as the sample leaves out.
constexpr unsigned kTellingSplats = 16;

// How many blocks count and list so many splats, each for itself; 0: there are too many tiles.
unsigned blocks_that_count(const Cuda& exec, unsigned tiles, unsigned count) {
  if (tiles > kMostBlockTiles ||
      (kMostBlockTiles + 1) * sizeof(unsigned) + kMemoryOfBlock > exec.block_shared_memory())
    return 0;
  return std::clamp(count / kLeastShare, 1u, unsigned(kBlocks * exec.multiprocessors()));
}

}  // namespace

void ListMemory::clear(Cuda& exec) {
  if (zeros == counts.size()) return;
  exec.zero(counts.data(), counts.size() * sizeof(unsigned));
  zeros = counts.size();
}

template <class S>
WideLists<S>::WideLists(Cuda& exec, ListMemory& memory, const TilingStack& stack, const S* splats,
                        unsigned count, bool sums_light, bool by_block)
    : exec_(exec),
      memory_(memory),
      stack_(stack),
      splats_(splats),
      count_(count),
      blocks_(by_block ? blocks_that_count(exec, stack.tiles, count) : 0),
      words_(std::size_t(stack.tiles) * (sums_light ? 2 : 1) + 2) {
  if (memory.counts.size() < words_) memory.zeros = 0;
  memory.counts.reserve(exec_, words_, "tile lists");
  const auto reserve_places = [&](std::size_t blocks) {
    memory.places.reserve(exec_, stack.tiles * blocks, "tile lists");
  };
  try {
    reserve_places(std::max(1u, blocks_));
  } catch (const Error&) {
    blocks_ = 0;  // which takes longer, and less memory
    reserve_places(1);
  }
  memory.starts.reserve(exec_, stack.tiles + 1, "tile lists");
  memory.filled.reserve(exec_, 1, "tile lists");
  if (memory.zeros < words_) memory.clear(exec_);
  memory.zeros = 0;
  unsigned* const of_tile = memory.counts.data();
  const unsigned sample = light_sample_of(count, stack.tiles);
  if (sums_light) light_ = reinterpret_cast<float*>(of_tile + stack.tiles);
  if (sample > 1) least_telling_ = kTellingSplats * sample;
  const LightSums light{light_, sample};
  if (blocks_ > 0) {
    prefer_shared_memory<count_by_block<S>>(exec_, (kMostBlockTiles + 1) * sizeof(unsigned));
    const BlockCounts counts{of_tile, memory.places.data(), of_tile + words_ - 2};
    count_by_block<<<blocks_, kBlockThreads, (stack.tiles + 1) * sizeof(unsigned),
                     exec_.stream()>>>(stack_, splats_, count_, counts, light,
                                       memory.starts.data());
    check_cuda(cudaGetLastError(), "counting splats by tile");
    return;
  }
  prefer_shared_memory<count_by_tile<S>>(exec_);
  count_by_tile<<<blocks_for(count), kThreads, 0, exec_.stream()>>>(stack_, splats_, count_,
                                                                    of_tile, light);
  check_cuda(cudaGetLastError(), "counting splats by tile");
  // starts[tiles] is the sum of all: what comes behind the counts is not looked at.
  thrust::transform_exclusive_scan(exec_.policy(), memory.counts.begin(),
                                   memory.counts.begin() + stack.tiles + 1, memory.starts.begin(),
                                   RoomOf(), ListStart{0, 0}, SumOfRoom());
}

template <class S>
ListRoom WideLists<S>::find_room() const {
  ListStart end{};
  exec_.download(&end, memory_.starts.data() + stack_.tiles, sizeof(end));
  return {end.place, end.item};
}

template <class S>
void WideLists<S>::fill(const ListRoom& room, FilledLists* told) {
  room_ = room;
  const Telling telling{memory_.filled.data(), told};
  forget_members();
  members_ = Buffer<unsigned, Cuda>(exec_, room.places, "tile lists");
  if (blocks_ > 0) {
    prefer_shared_memory<list_by_block<S>>(exec_, (kMostBlockTiles + 1) * sizeof(unsigned));
    list_by_block<<<blocks_, kBlockThreads, stack_.tiles * sizeof(unsigned), exec_.stream()>>>(
        stack_, splats_, count_, memory_.starts.data(), memory_.places.data(), members_.data(),
        room, telling);
    check_cuda(cudaGetLastError(), "listing splats by tile");
    return;
  }
  prefer_shared_memory<begin_lists>(exec_);
  prefer_shared_memory<list_by_tile<S>>(exec_);
  begin_lists<<<blocks_for(stack_.tiles), kThreads, 0, exec_.stream()>>>(
      stack_.tiles, memory_.starts.data(), memory_.places.data(), room, telling);
  check_cuda(cudaGetLastError(), "listing splats by tile");
  list_by_tile<<<blocks_for(count_), kThreads, 0, exec_.stream()>>>(
      stack_, splats_, count_, memory_.places.data(), members_.data(), memory_.filled.data());
  check_cuda(cudaGetLastError(), "listing splats by tile");
}

template <class S>
FilledLists WideLists<S>::wait_filled() const {
  FilledLists filled{};
  exec_.download(&filled, memory_.filled.data(), sizeof(filled));
  return filled;
}

template class WideLists<WideSplat>;
template class WideLists<PackedSplat>;

}  // namespace haloscope::compute::splotch
