#pragma once

#include "compute/exec/cuda.h"
#include "compute/spatial/octree_slots.inl"

#include <cub/device/device_radix_sort.cuh>

#include <cstdint>
#include <utility>

// Bodies whose order has nothing to do with space: a GPU sorts them by the cells of the top levels
// before it inserts them, which takes a third of the time that it saves.
namespace haloscope::compute::spatial {

// Sorts by the bits of the cells on level `top`; those of one cell keep their order.
inline void sort_by_cells(Cuda& exec, BodyCodes<Cuda>& bodies, int top) {
  auto& [code, index] = bodies;
  const std::size_t count = code.size();
  Buffer<std::uint64_t, Cuda> other_code(exec, count, "sorting");
  Buffer<std::uint32_t, Cuda> other_index(exec, count, "sorting");
  cub::DoubleBuffer<std::uint64_t> keys(code.data(), other_code.data());
  cub::DoubleBuffer<std::uint32_t> values(index.data(), other_index.data());
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    check_cuda(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, count,
                                               kMortonBits - 3 * top, kMortonBits, exec.stream()),
               "sorting");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  Buffer<char, Cuda> scratch(exec, bytes, "sorting");
  sort(scratch.data(), bytes);
  if (keys.Current() != code.data()) std::swap(code, other_code);
  if (values.Current() != index.data()) std::swap(index, other_index);
}

// Counts pairs of bodies, each of one and the one after it, that share a cell.
struct CountSharedCells {
  const std::uint64_t* code;
  std::uint32_t step;
  int level;
  std::uint32_t* shared;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::size_t i = k * step;
    if ((code[i] ^ code[i + 1]) >> 3 * (kMostOctreeDepth - level) == 0) atomic_add(shared, 1u);
  }
};

// Whether few of some thousand pairs share a cell two levels above the lowest of the top ones.
inline bool are_scattered(Cuda& exec, const BodyCodes<Cuda>& bodies, int top) {
  constexpr std::uint32_t kPairs = 4096;
  // Of fewer bodies the whole tree lies in the cache.
  constexpr std::uint32_t kMany = 2u << 20;
  const auto count = std::uint32_t(bodies.code.size());
  if (top < 4 || count < kMany) return false;
  Buffer<std::uint32_t, Cuda> shared(exec, 1, "octree");
  exec.zero(shared.data(), sizeof(std::uint32_t));
  parallel_for(exec, "octree", kPairs,
               CountSharedCells{bodies.code.data(), count / kPairs, top - 2, shared.data()});
  std::uint32_t found = 0;
  exec.download(&found, shared.data(), sizeof(found));
  return found < kPairs / 4;
}

}  // namespace haloscope::compute::spatial
