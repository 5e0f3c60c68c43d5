#pragma once

#include "compute/clusters/clustering.inl"
#include "compute/exec/cuda.h"

// The linking of cells for the GPU. The plain version makes each thread test points and join sets
// wherever it meets a neighbor, while the others of its warp wait; here a warp collects pairs of
// cells and then works on 32 of them at once.
namespace haloscope::compute::clusters {

class PairQueue {
 public:
  __device__ PairQueue(const LinkCells& task, uint2* waiting) : task_(task), waiting_(waiting) {}

  // Called by all lanes.
  __device__ void add(bool mine, std::uint32_t cell, std::uint32_t other) {
    const unsigned mask = __ballot_sync(~0u, mine);
    if (mask == 0) return;
    const unsigned lane = threadIdx.x % 32;
    if (mine) waiting_[count_ + unsigned(__popc(mask & ((1u << lane) - 1)))] = {cell, other};
    count_ += unsigned(__popc(mask));
    __syncwarp();
    if (count_ < 32) return;
    count_ -= 32;
    link(waiting_[count_ + lane]);
    __syncwarp();
  }

  __device__ void finish() {
    __syncwarp();
    if (threadIdx.x % 32 < count_) link(waiting_[threadIdx.x % 32]);
  }

 private:
  __device__ void link(uint2 pair) const {
    const std::uint32_t a = task_.sets.find(pair.x), b = task_.sets.find(pair.y);
    if (a != b && task_.any_near(pair.x, pair.y)) task_.sets.unite(a, b);
  }

  const LinkCells& task_;
  uint2* waiting_;      // 64 of them
  unsigned count_ = 0;  // the same in each lane
};

constexpr int kLinkThreads = 256;

__global__ void __launch_bounds__(kLinkThreads)
    link_cells_kernel(const __grid_constant__ LinkCells task) {
  __shared__ uint2 waiting[kLinkThreads / 32][64];
  const spatial::CellView& grid = task.grid;
  PairQueue queue(task, waiting[threadIdx.x / 32]);
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t side = grid.reach.side;
  const int range = task.range;
  const std::size_t warps = std::size_t(gridDim.x) * (kLinkThreads / 32);
  for (std::size_t chunk = std::size_t(blockIdx.x) * (kLinkThreads / 32) + threadIdx.x / 32;
       chunk * 32 < grid.cells; chunk += warps) {
    const std::size_t index = chunk * 32 + lane;
    const bool exists = index < grid.cells;
    const auto cell = std::uint32_t(exists ? index : grid.cells - 1);
    const std::uint32_t x = grid.cell_key[cell], row = grid.row(cell);
    const std::uint32_t y = row % side, z = row / side;
    const std::uint32_t root = atomic_load(task.sets.parent + cell);

    for (int dz = 0; dz <= range; ++dz)
      for (int dy = dz == 0 ? 0 : -range; dy <= range; ++dy) {
        const bool own = dz == 0 && dy == 0;
        // Cells next to this one were linked with the smaller range.
        const bool inner = range > 1 && dz <= 1 && dy >= -1 && dy <= 1;
        const std::uint32_t beside = grid.shifted(z, dz) * side + grid.shifted(y, dy);
        const std::uint32_t begin = grid.row_begin(beside), end = grid.row_begin(beside + 1);
        const int first = own ? 1 : -range;
        auto walk = [&](int low, int high, int turn) {
          std::uint32_t at = begin, last = exists && low <= high ? end : begin;
          while (at < last) {
            const std::uint32_t middle = at + (last - at) / 2;
            if (int(grid.cell_key[middle]) < low)
              at = middle + 1;
            else
              last = middle;
          }
          bool more = exists && low <= high;
          while (true) {
            int dx = 0;
            if (more) {
              more = at < end;
              if (more) {
                const int found = int(grid.cell_key[at]);
                more = found <= high;
                dx = found + turn - int(x);
              }
            }
            if (!__any_sync(~0u, more)) break;
            const bool new_pair = more && !(inner && dx >= -1 && dx <= 1) &&
                                  atomic_load(task.sets.parent + at) != root;
            queue.add(new_pair, cell, at);
            ++at;
          }
        };
        const int low = int(x) + first, high = int(x) + range, n = int(side);
        walk(low < 0 ? 0 : low, high >= n ? n - 1 : high, 0);
        if (__any_sync(~0u, low < 0)) walk(low + n, low < 0 ? n - 1 : -1, -n);
        if (__any_sync(~0u, high >= n)) walk(low >= n ? low - n : 0, high >= n ? high - n : -1, n);
      }
  }
  queue.finish();
}

inline void link_cells(Cuda& exec, LinkCells task) {
  const NamedRange range("linking");
  const std::size_t needed = (std::size_t(task.grid.cells) + kLinkThreads - 1) / kLinkThreads;
  const std::size_t resident = std::size_t(exec.multiprocessors()) * 8;
  for (task.range = 1; task.range <= spatial::CellReach::kCells; ++task.range) {
    link_cells_kernel<<<unsigned(std::min(needed, resident)), kLinkThreads, 0, exec.stream()>>>(
        task);
    check_cuda(cudaGetLastError(), "linking");
  }
}

}  // namespace haloscope::compute::clusters
