#pragma once

#include "compute/splotch/narrow_splats.cuh"
#include "compute/splotch/splat_bins.cuh"

// How narrow splats are put into bins.
namespace haloscope::compute::splotch {

// A bin's window begins so many pixels before it, and holds all splats whose centers are in the
// bin.
inline constexpr int kBeforeBin = 4;
using BinWindow = NarrowWindow<72>;
static_assert(kBeforeBin + SplatBins::kSide + kBeforeBin <= BinWindow::kSide &&
              kNarrowRadius + 1 <= kBeforeBin);

// A NarrowSplat in a bin tells its light as it is, not in units of a window, with 21 bits of blue,
// and in the bits below these its size.
inline constexpr int kBinnedBlueBits = 21;
inline constexpr unsigned kBinnedSizeMask = (1u << (24 - kBinnedBlueBits)) - 1;
static_assert(kNarrowSizes <= int(kBinnedSizeMask) + 1);

// Hands out chunk `number` of a bin, and begins its group with the first of them, by the thread
// whose splat is the chunk's first.
__device__ inline void hand_out_chunk(const SplatBins& bins, unsigned bin, unsigned number) {
  if (number >= SplatBins::kMostChunks) return;
  if (number % SplatBins::kGroup == 0)
    bins.groups[atomicAdd(&bins.counters->groups, 1u)] = {bin, number};
  const unsigned chunk = atomicAdd(&bins.counters->chunks, 1u);
  const bool is_there = chunk < bins.chunk_count;
  atomicExch(&bins.places[bin * SplatBins::kMostChunks + number],
             is_there ? chunk + 1 : SplatBins::kNone);
}

// Waits for it where another thread hands it out, which waits for none.
__device__ inline unsigned find_chunk(const SplatBins& bins, unsigned bin, unsigned number) {
  if (number >= SplatBins::kMostChunks) return SplatBins::kNone;
  const volatile unsigned* const place = &bins.places[bin * SplatBins::kMostChunks + number];
  unsigned found = *place;
  while (found == 0) found = *place;
  return found == SplatBins::kNone ? found : found - 1;
}

// Puts the splats of the lanes of a warp that have one, with the center in the image, into their
// bins. Returns whether this lane's found room; by whole warps.
__device__ inline bool put_in_bin(const SplatBins& bins, bool mine, int ix, int iy, float fx,
                                  float fy, float radius, const float light[3]) {
  constexpr int kSide = SplatBins::kSide;
  constexpr unsigned kChunk = SplatBins::kChunk, kNoBin = ~0u;
  if (!__any_sync(~0u, mine)) return false;
  const int column = ix / kSide, row = iy / kSide;
  const unsigned bin = mine ? unsigned(row * bins.columns + column) : kNoBin;
  const unsigned lanes = __match_any_sync(~0u, bin), lane = threadIdx.x % 32;
  const int leader = __ffs(int(lanes)) - 1;
  // The first of the lanes' places in their bin, and the chunks of the first and of the last.
  unsigned first = 0, chunk = 0, last_chunk = 0;
  if (mine && int(lane) == leader) {
    const unsigned n = unsigned(__popc(lanes));
    first = atomicAdd(&bins.counts[bin], n);
    const unsigned number = first / kChunk, last = (first + n - 1) / kChunk;
    if (first % kChunk == 0) hand_out_chunk(bins, bin, number);
    if (last != number) hand_out_chunk(bins, bin, last);
    chunk = find_chunk(bins, bin, number);
    last_chunk = last == number ? chunk : find_chunk(bins, bin, last);
  }
  first = __shfl_sync(~0u, first, leader);
  chunk = __shfl_sync(~0u, chunk, leader);
  last_chunk = __shfl_sync(~0u, last_chunk, leader);
  const unsigned at = first + unsigned(__popc(lanes & ((1u << lane) - 1)));
  if (at / kChunk != first / kChunk) chunk = last_chunk;
  if (!mine || chunk == SplatBins::kNone) return false;
  PlacedSplat placed = place_narrow<BinWindow>(ix - column * kSide + kBeforeBin,
                                               iy - row * kSide + kBeforeBin, fx, fy, radius);
  pack_light<kBinnedBlueBits>(placed.splat, light[0], light[1], light[2]);
  const unsigned* const w = placed.splat.words;
  reinterpret_cast<uint4*>(bins.splats)[std::size_t(chunk) * kChunk + at % kChunk] =
      make_uint4(w[0], w[1], w[2], w[3] | unsigned(placed.size));
  return true;
}

}  // namespace haloscope::compute::splotch
