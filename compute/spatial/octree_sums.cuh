#pragma once

#include "compute/exec/cuda.h"
#include "compute/spatial/octree_sums.inl"

#include <cstddef>
#include <cstdint>

// How a GPU stores sums: side by side. Each thread alone would write to 72 bytes of its own, a word
// at a time.
namespace haloscope::compute::spatial {

template <class Work>
__global__ void __launch_bounds__(128)
    store_sums_kernel(std::size_t count, Work work, OctreeSums* to) {
  constexpr std::uint32_t kWords = sizeof(OctreeSums) / sizeof(std::uint64_t);
  static_assert(kWords * sizeof(std::uint64_t) == sizeof(OctreeSums));
  __shared__ std::uint64_t staged[128 * kWords];
  const std::size_t first = std::size_t(blockIdx.x) * 128;
  const std::uint32_t here = count - first < 128 ? std::uint32_t(count - first) : 128;
  if (threadIdx.x < here) {
    const OctreeSums sums = work.sum(std::uint32_t(first) + threadIdx.x);
    memcpy(staged + threadIdx.x * kWords, &sums, sizeof(sums));
  }
  __syncthreads();
  auto* const words = reinterpret_cast<std::uint64_t*>(to + first);
  for (std::uint32_t w = threadIdx.x; w < here * kWords; w += 128) words[w] = staged[w];
}

template <class Work>
void store_sums(Cuda& exec, std::size_t count, const Work& work, OctreeSums* to) {
  if (count == 0) return;
  const NamedRange range("octree sums");
  store_sums_kernel<<<unsigned((count + 127) / 128), 128, 0, exec.stream()>>>(count, work, to);
  check_cuda(cudaGetLastError(), "octree sums");
}

}  // namespace haloscope::compute::spatial
