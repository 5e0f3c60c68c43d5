#pragma once

#include "compute/clusters/nearest_lists.inl"
#include "compute/exec/cuda.h"

// Lists of nearest neighbors for the GPU. In the plain version each thread walks the tree alone and
// keeps its list in local memory; here a warp walks it once for 32 points that lie side by side, a
// block is met by all of them where one of them wants it, and lists stay in registers.
namespace haloscope::compute::clusters {

// Ascending; no index depends on the data. Where k is below Capacity, the first ones are zeros that
// nothing displaces.
template <int Capacity>
class PairsInRegisters {
 public:
  __device__ explicit PairsInRegisters(int k) {
    for (int n = 0; n < Capacity; ++n) {
      squared_[n] = n < Capacity - k ? 0 : kFarAway;
      place_[n] = 0;
    }
  }
  __device__ std::uint64_t farthest() const { return squared_[Capacity - 1]; }
  __device__ void insert(std::uint64_t squared, std::uint32_t place) {
#pragma unroll
    for (int n = 0; n < Capacity; ++n) {
      const bool nearer = squared < squared_[n];
      const std::uint64_t other = squared_[n];
      const std::uint32_t other_place = place_[n];
      squared_[n] = nearer ? squared : other;
      place_[n] = nearer ? place : other_place;
      squared = nearer ? other : squared;
      place = nearer ? other_place : place;
    }
  }
  __device__ void write(int k, std::uint32_t* neighbors, std::size_t stride) const {
#pragma unroll
    for (int n = 0; n < Capacity; ++n)
      if (n >= Capacity - k) neighbors[std::size_t(n - (Capacity - k)) * stride] = place_[n];
  }

 private:
  std::uint64_t squared_[Capacity];
  std::uint32_t place_[Capacity];
};

constexpr int kListThreads = 128;

template <int D, int Capacity>
__global__ void __launch_bounds__(kListThreads)
    list_nearest_kernel(const BlockTreeView<D> tree, int k, std::uint32_t* neighbors) {
  constexpr std::uint32_t kBlocks = 32 / spatial::kFan;  // of a warp
  const std::uint64_t warp = (std::uint64_t(blockIdx.x) * kListThreads + threadIdx.x) / 32;
  if (warp * 32 >= tree.count) return;
  const std::uint64_t own = warp * 32 + threadIdx.x % 32;
  const bool exists = own < tree.count;
  const std::uint32_t i = exists ? std::uint32_t(own) : tree.count - 1;
  const spatial::LatticePoint<D> point = tree.points[i];
  PairsInRegisters<Capacity> list(k);
  const auto see = [&](std::uint32_t block) {
    for (std::uint32_t j = block * spatial::kFan, end = tree.end_of(block); j < end; ++j) {
      const std::uint64_t squared = squared_between(point, tree.points[j]);
      if (j != i && squared < list.farthest()) list.insert(squared, j);
    }
    return true;
  };
  const auto wanted = [&](std::uint32_t box) {
    return __any_sync(~0u, squared_between(point, tree.boxes[box]) < list.farthest()) != 0;
  };
  const auto first = std::uint32_t(warp) * kBlocks, blocks = tree.levels.blocks[0];
  const std::uint32_t parent = first / spatial::kFan;
  for (std::uint32_t b = first; b < first + kBlocks && b < blocks; ++b) see(b);
  for (std::uint32_t n = 0; n < spatial::kFan; ++n) {
    const std::uint32_t b = parent * spatial::kFan + n;
    if (b - first >= kBlocks && b < blocks && wanted(b)) see(b);
  }
  walk_around(tree, 1, parent, wanted, see);
  if (exists) list.write(k, neighbors + i, tree.count);
}

template <int D>
void list_nearest(Cuda& exec, const BlockTreeView<D>& tree, int k, std::uint32_t* neighbors) {
  if (k > 16) return list_nearest<D, Cuda>(exec, tree, k, neighbors);
  const NamedRange range("nearest neighbors");
  const auto blocks = unsigned((std::uint64_t(tree.count) + kListThreads - 1) / kListThreads);
  if (k <= 8)
    list_nearest_kernel<D, 8><<<blocks, kListThreads, 0, exec.stream()>>>(tree, k, neighbors);
  else
    list_nearest_kernel<D, 16><<<blocks, kListThreads, 0, exec.stream()>>>(tree, k, neighbors);
  check_cuda(cudaGetLastError(), "nearest neighbors");
}

}  // namespace haloscope::compute::clusters
