#pragma once

#include "compute/exec/cuda.h"
#include "compute/exec/warp.cuh"
#include "compute/spatial/octree_morton.inl"

#include <cstdint>

// Counting and writing an octree's cells with a warp per chunk. Lane l keeps the count of level l.
namespace haloscope::compute::spatial {

static_assert(kCountRows <= 32);

// The cells that begin at 32 places, and the levels that they are on.
struct CellsOfWarp {
  CellsBegun cells{0, -1, -1};
  int low, high;  // of all lanes; low > high: none begin

  __device__ CellsOfWarp(const SortedCodes& codes, std::uint64_t place) {
    if (place < codes.count) cells = codes.begun(std::uint32_t(place));
    const bool any = cells.leaf >= 0;  // a node that begins has a leaf that begins with it
    low = warp_minimum(any ? cells.first : kMostOctreeDepth + 1);
    high = warp_maximum(any ? cells.last : -1);
  }
  __device__ bool begins(int level) const { return cells.first <= level && level <= cells.last; }
};

__global__ void __launch_bounds__(256) count_cells_kernel(CountCells work) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t chunk = std::size_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (chunk >= work.chunks) return;
  std::uint32_t mine = 0;
  for (std::uint32_t k = 0; k < kChunkPlaces; k += 32) {
    const CellsOfWarp w(work.codes, std::uint64_t(chunk) * kChunkPlaces + k + lane);
    for (int level = w.low; level <= w.high; ++level) {
      const auto many = std::uint32_t(__popc(__ballot_sync(0xffffffffu, w.begins(level))));
      if (int(lane) == level) mine += many;
    }
    const auto leaves = std::uint32_t(__popc(__ballot_sync(0xffffffffu, w.cells.leaf >= 0)));
    if (lane == kLeafRow) mine += leaves;
  }
  if (lane < kCountRows) work.counts[lane * work.chunks + chunk] = mine;
}

__global__ void __launch_bounds__(256) write_cells_kernel(WriteChunk work) {
  constexpr unsigned kAll = 0xffffffffu;
  const unsigned lane = threadIdx.x % 32;
  const unsigned before = (1u << lane) - 1, until = before | 1u << lane;
  const std::size_t chunk = std::size_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (chunk >= work.chunks) return;
  std::uint32_t next = lane < kCountRows ? work.before[lane * work.chunks + chunk] : 0;
  if (lane == kLeafRow) next -= work.node_number;
  for (std::uint32_t k = 0; k < kChunkPlaces; k += 32) {
    const std::uint64_t at = std::uint64_t(chunk) * kChunkPlaces + k + lane;
    const auto place = std::uint32_t(at);
    const CellsOfWarp w(work.codes, at);
    if (w.low > kMostOctreeDepth) continue;
    const CellsBegun cells = w.cells;
    const std::uint64_t code = cells.leaf >= 0 ? work.codes.code[place] : 0;
    // The last node begun on the level above, at this place or before it.
    std::uint32_t above = w.low > 0 ? __shfl_sync(kAll, next, w.low - 1) - 1 : 0;
    std::uint32_t parent_of_leaf = above;
    for (int level = w.low; level <= w.high; ++level) {
      const unsigned who = __ballot_sync(kAll, w.begins(level));
      const std::uint32_t base = __shfl_sync(kAll, next, level);
      if (w.begins(level))
        work.write.node(base + std::uint32_t(__popc(who & before)), place, above, code, level);
      above = base + std::uint32_t(__popc(who & until)) - 1;
      if (cells.leaf == level + 1) parent_of_leaf = above;
      if (int(lane) == level) next += std::uint32_t(__popc(who));
    }
    const unsigned leaves = __ballot_sync(kAll, cells.leaf >= 0);
    const std::uint32_t base = __shfl_sync(kAll, next, kLeafRow);
    // A leaf without nodes above it in this warp's levels hangs on one begun before.
    const bool higher = cells.leaf > 0 && cells.leaf - 1 > w.high;
    const std::uint32_t at_level = __shfl_sync(kAll, next, higher ? cells.leaf - 1 : 0) - 1;
    if (higher) parent_of_leaf = at_level;
    if (cells.leaf >= 0)
      work.write.leaf(base + std::uint32_t(__popc(leaves & before)), place, parent_of_leaf, code,
                      cells.leaf);
    if (lane == kLeafRow) next += std::uint32_t(__popc(leaves));
  }
}

inline void count_cells(Cuda& exec, const CountCells& work) {
  const NamedRange range("octree");
  count_cells_kernel<<<unsigned((work.chunks + 7) / 8), 256, 0, exec.stream()>>>(work);
  check_cuda(cudaGetLastError(), "octree");
}
inline void write_cells(Cuda& exec, const WriteChunk& work) {
  const NamedRange range("octree");
  write_cells_kernel<<<unsigned((work.chunks + 7) / 8), 256, 0, exec.stream()>>>(work);
  check_cuda(cudaGetLastError(), "octree");
}

}  // namespace haloscope::compute::spatial
