#pragma once

#include "compute/exec/cuda.h"
#include "compute/grids/deposit.inl"

#include <cstdint>

// Shares of particles for the GPU. In the plain version each share is an atomic in the grid. Here a
// block of threads adds up what some particles, which lie near each other where they are in Morton
// order, give to bricks of 4³ cells, in shared memory; then each cell of these is one atomic in the
// grid. A brick has one place there; what finds another brick in it goes to the grid at once. The
// sums are exact, so that all ways have the same bits.
namespace haloscope::compute::grids {

struct DepositBricks {
  static constexpr unsigned kThreads = 256, kPoints = 2048;
  static constexpr unsigned kBricks = 64, kCells = 64 * kBricks;
  static constexpr unsigned kFree = ~0u;
  // Sums are kept in two words of 32 bits: a particle has at most 8 shares in a cell.
  static constexpr int kLowBits = 18;
  static constexpr double kMostQuanta = double(std::uint64_t(1) << 37);
  static constexpr std::uint32_t kMostCells = 4096;  // of an axis: brick numbers have 10 bits each

  unsigned low[kCells], high[kCells];
  unsigned brick[kBricks];

  __device__ void clear() {
    for (unsigned c = threadIdx.x; c < kCells; c += kThreads) low[c] = high[c] = 0;
    if (threadIdx.x < kBricks) brick[threadIdx.x] = kFree;
  }

  // False: the place of the brick is another one's.
  __device__ bool add(unsigned x, unsigned y, unsigned z, std::int64_t part) {
    const unsigned number = x / 4 << 20 | y / 4 << 10 | z / 4;
    const unsigned place = (x / 4 % 4 * 4 + y / 4 % 4) * 4 + z / 4 % 4;
    unsigned there = *static_cast<volatile unsigned*>(brick + place);
    if (there == kFree) {
      there = atomicCAS(brick + place, kFree, number);
      if (there == kFree) there = number;
    }
    if (there != number) return false;
    const unsigned cell = place * 64 + (x % 4 * 4 + y % 4) * 4 + z % 4;
    atomicAdd(low + cell, unsigned(part) & ((1u << kLowBits) - 1));
    atomicAdd(high + cell, unsigned(part >> kLowBits));
    return true;
  }

  __device__ void give(const DepositShares& shares) const {
    for (unsigned c = threadIdx.x; c < kCells; c += kThreads) {
      const unsigned number = brick[c / 64];
      if (number == kFree) continue;
      const std::int64_t sum =
          std::int64_t(low[c]) + std::int64_t(int(high[c])) * (std::int64_t(1) << kLowBits);
      const unsigned x = (number >> 20) * 4 + c / 16 % 4, y = (number >> 10 & 1023) * 4 + c / 4 % 4,
                     z = (number & 1023) * 4 + c % 4;
      shares.sums.add(0, shares.frame.at(x, y, z), sum);
    }
  }
};

inline __global__ void __launch_bounds__(DepositBricks::kThreads)
    deposit_bricks_kernel(DepositShares shares) {
  __shared__ DepositBricks bricks;
  bricks.clear();
  __syncthreads();
  const std::uint64_t first = std::uint64_t(blockIdx.x) * DepositBricks::kPoints;
  for (unsigned k = threadIdx.x; k < DepositBricks::kPoints; k += DepositBricks::kThreads) {
    if (first + k >= shares.values.columns.count) break;
    shares.share(std::size_t(first + k),
                 [&](int, std::uint64_t x, std::uint64_t y, std::uint64_t z, std::int64_t part) {
                   if (!bricks.add(unsigned(x), unsigned(y), unsigned(z), part))
                     shares.sums.add(0, shares.frame.at(x, y, z), part);
                 });
  }
  __syncthreads();
  bricks.give(shares);
}

// In place of the plain way for particles of one mass, if its quanta are not too many.
inline void deposit_shares(Cuda& exec, const DepositShares& shares) {
  using Bricks = DepositBricks;
  const GridColumns& columns = shares.values.columns;
  const bool is_field =
      shares.values.quantity == Quantity::Sum || shares.values.quantity == Quantity::Mean;
  const bool is_count = shares.values.quantity == Quantity::Count;
  const double value = is_count ? 1 : columns.uniform_mass;
  bool fits = !is_field && (is_count || !columns.mass) &&
              value * shares.sums.per_unit[0] < Bricks::kMostQuanta &&
              -value * shares.sums.per_unit[0] < Bricks::kMostQuanta;
  for (const std::uint32_t cells : shares.frame.cells) fits = fits && cells <= Bricks::kMostCells;
  if (!fits || columns.count == 0) {
    parallel_for(exec, "grid", std::size_t(columns.count), shares);
    return;
  }
  const NamedRange range("grid");
  const auto blocks = unsigned((columns.count + Bricks::kPoints - 1) / Bricks::kPoints);
  deposit_bricks_kernel<<<blocks, Bricks::kThreads, 0, exec.stream()>>>(shares);
  check_cuda(cudaGetLastError(), "grid");
}

}  // namespace haloscope::compute::grids
