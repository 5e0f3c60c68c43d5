#pragma once

#include "compute/brute_force/half_rows.cuh"
#include "compute/exec/cuda.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HALOSCOPE_TENSOR_CORES 1
#else
#define HALOSCOPE_TENSOR_CORES 0
#endif

// Finds the pairs of rows that may be near one another: products of halves by tensor cores, a tile
// of 128 rows and 128 columns per block, of which nothing but the pairs that pass is written.
namespace haloscope::compute::brute_force {

struct PairFilter {
  HalfRowsView rows;
  // Rows i of `count` that search: at places[i], or at first + i; limit[i] as RowLimit makes it,
  // for all up to the next multiple of a tile, infinite behind the last.
  const std::uint32_t* places;
  std::uint32_t first, count;
  const float* limit;
  // Columns; `begin` is a multiple of a tile.
  std::uint32_t begin, end;

  __device__ std::uint32_t place(std::uint32_t i) const { return places ? places[i] : first + i; }
};

namespace tile {

// For GPUs before compute capability 8.0, and as what the rest does in plain words.
__device__ inline float product(const __half* a, const __half* b, std::uint32_t dimensions) {
  float sum = 0;
  for (std::uint32_t d = 0; d < dimensions; ++d) sum += __half2float(a[d]) * __half2float(b[d]);
  return sum;
}

inline constexpr std::uint32_t kSide = HalfRows::kTile;
inline constexpr std::uint32_t kDepth = 64;  // dimensions in shared memory at once
inline constexpr std::uint32_t kWord = 8;    // halves that are copied as one, 16 B
inline constexpr std::uint32_t kWords = kDepth / kWord;
inline constexpr std::uint32_t kThreads = 256;           // 2 by 4 warps, each of 64 by 32 pairs
inline constexpr std::uint32_t kStage = kSide * kDepth;  // halves of one operand

// Words of one column lie in different banks for rows that are read together.
__device__ inline std::uint32_t offset(std::uint32_t row, std::uint32_t word) {
  return row * kDepth + (word ^ (row & (kWords - 1))) * kWord;
}

__device__ inline void copy_async(__half* to, const __half* from) {
  const auto shared = std::uint32_t(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from));
}
__device__ inline void end_stage() {
  asm volatile("cp.async.commit_group;");
}
template <int Left>
__device__ inline void wait_for_stages() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Left));
}

// Four matrices of 8 by 8 halves, whose rows begin at what lanes 0–7, 8–15, 16–23, 24–31 name.
__device__ inline void load_matrices(std::uint32_t (&to)[4], const __half* from) {
  const auto shared = std::uint32_t(__cvta_generic_to_shared(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared));
}

// sum += a b, 16 rows by 8 columns over 16 dimensions. Lane l holds of sums the columns 2 (l % 4)
// and the next, of row l / 4 in 0 and 1, and of the eighth row behind it in 2 and 3.
__device__ inline void multiply_add(float (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace tile

// Calls see(i, column) for the pairs that may be near, columns in [begin, end).
template <class See>
__global__ void __launch_bounds__(tile::kThreads) filter_pairs_kernel(PairFilter filter, See see) {
  using namespace tile;
  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::uint32_t top = blockIdx.x * kSide, own_row = warp % 2 * 64, own_column = warp / 2 * 32;
  const std::uint32_t dimensions = filter.rows.padded_dimensions;
  const std::uint32_t tiles = (filter.end - filter.begin + kSide - 1) / kSide;

  // Of the rows whose sums this lane has.
  float limit[4][2];
  for (int i = 0; i < 4; ++i)
    for (int half = 0; half < 2; ++half)
      limit[i][half] = filter.limit[top + own_row + i * 16 + half * 8 + lane / 4];

#if HALOSCOPE_TENSOR_CORES
  extern __shared__ __align__(16) __half stages[];  // two of rows, then two of columns
  const std::uint32_t steps = (dimensions + kDepth - 1) / kDepth;
  const auto words_of = [&](std::uint32_t step) {
    return min(kWords, (dimensions - step * kDepth) / kWord);
  };
  // Step s of all tiles, one after the other.
  const auto load = [&](std::uint32_t t, std::uint32_t step, std::uint32_t stage) {
    const std::uint32_t left = filter.begin + t * kSide;
    const std::uint32_t words = words_of(step);
    for (std::uint32_t w = threadIdx.x; w < kSide * words; w += kThreads) {
      const std::uint32_t row = w / words, word = w % words;
      const std::uint32_t i = min(top + row, filter.count - 1);
      const std::size_t from = step * kDepth + word * kWord;
      copy_async(stages + stage * kStage + offset(row, word),
                 filter.rows.half + std::size_t(filter.place(i)) * dimensions + from);
      copy_async(stages + (2 + stage) * kStage + offset(row, word),
                 filter.rows.half + std::size_t(left + row) * dimensions + from);
    }
    end_stage();
  };

  std::uint32_t stage = 0;
  if (blockIdx.y < tiles) load(blockIdx.y, 0, 0);
#endif
  for (std::uint32_t t = blockIdx.y; t < tiles; t += gridDim.y) {
    float sum[4][4][4] = {};
    const std::uint32_t left = filter.begin + t * kSide + own_column + lane % 4 * 2;
#if HALOSCOPE_TENSOR_CORES
    for (std::uint32_t step = 0; step < steps; ++step) {
      const bool is_last = step + 1 == steps;
      const std::uint32_t next = is_last ? t + gridDim.y : t;
      if (next < tiles)
        load(next, is_last ? 0 : step + 1, stage ^ 1);
      else
        end_stage();
      wait_for_stages<1>();
      __syncthreads();
      const __half* const rows = stages + stage * kStage;
      const __half* const columns = stages + (2 + stage) * kStage;
      const std::uint32_t words = words_of(step);
      for (std::uint32_t word = 0; word < words; word += 2) {
        std::uint32_t b[2][4];
        for (int j = 0; j < 2; ++j)
          load_matrices(b[j], columns + offset(own_column + j * 16 + (lane >> 4) * 8 + lane % 8,
                                               word + (lane >> 3) % 2));
        for (int i = 0; i < 4; ++i) {
          std::uint32_t a[4];
          load_matrices(a, rows + offset(own_row + i * 16 + lane % 16, word + (lane >> 4)));
          for (int j = 0; j < 4; ++j)
            multiply_add(sum[i][j], a, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
      }
      // The next load writes what was read here.
      __syncthreads();
      stage ^= 1;
    }
#else
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        for (int at = 0; at < 4; ++at) {
          const std::uint32_t row =
              min(top + own_row + i * 16 + at / 2 * 8 + lane / 4, filter.count - 1);
          sum[i][j][at] = product(
              filter.rows.half + std::size_t(filter.place(row)) * dimensions,
              filter.rows.half + std::size_t(left + j * 8 + at % 2) * dimensions, dimensions);
        }
#endif
    for (int j = 0; j < 4; ++j) {
      const float2 norms = *reinterpret_cast<const float2*>(filter.rows.half_norm + left + j * 8);
      for (int i = 0; i < 4; ++i)
        for (int half = 0; half < 2; ++half)
          for (int next = 0; next < 2; ++next) {
            if (!(sum[i][j][half * 2 + next] >= limit[i][half] + (next ? norms.y : norms.x)))
              continue;
            const std::uint32_t column = left + j * 8 + next;
            if (column < filter.end) see(top + own_row + i * 16 + half * 8 + lane / 4, column);
          }
    }
  }
}

template <class See>
void filter_pairs(Cuda& exec, const PairFilter& filter, const See& see) {
  using namespace tile;
  if (filter.count == 0 || filter.begin >= filter.end) return;
  constexpr std::size_t kShared = 4 * kStage * sizeof(__half);
  const auto kernel = filter_pairs_kernel<See>;
  exec.make_current();
  check_cuda(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(kShared)),
      "near pairs");
  const std::uint32_t tops = (filter.count + kSide - 1) / kSide;
  const std::uint32_t tiles = (filter.end - filter.begin + kSide - 1) / kSide;
  // Few rows share their columns among several blocks.
  const std::uint32_t wanted = std::uint32_t(exec.multiprocessors()) * 16;
  const std::uint32_t shares = std::clamp(wanted / tops, 1u, std::min(tiles, 65535u));
  const NamedRange range("near pairs");
  kernel<<<dim3(tops, shares), kThreads, kShared, exec.stream()>>>(filter, see);
  check_cuda(cudaGetLastError(), "near pairs");
}

}  // namespace haloscope::compute::brute_force
