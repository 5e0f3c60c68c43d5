#pragma once

#include "compute/exec/cuda.h"
#include "compute/grids/smoothing.inl"

#include <cstddef>
#include <cstdint>

// Smoothing for the GPU. In the plain version each cell reads all its taps and makes doubles of
// them. Here a thread goes along a line with them in registers. Where lines lie in rows of memory,
// a warp has 128 cells of one, four a lane, and lanes tell one another theirs; rows of other
// lengths and more taps go through shared memory. The sums are the same.
namespace haloscope::compute::grids {

inline constexpr std::uint32_t kLineLength = 64;  // cells of a line that a thread goes along

template <int R>
__global__ void smooth_across_kernel(SmoothAxis axis, std::uint64_t lines) {
  constexpr int kTaps = 2 * R + 1;
  const std::uint64_t line = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  const std::uint64_t start = line / axis.stride * axis.stride * axis.cells + line % axis.stride;
  const float* const from = axis.from + start;
  const std::uint32_t first = blockIdx.y * kLineLength;
  const std::uint32_t end = min(first + kLineLength, axis.cells);
  double weight[kTaps], value[kTaps];
#pragma unroll
  for (int k = 0; k < kTaps; ++k) weight[k] = axis.weights[k];
#pragma unroll
  for (int k = 0; k + 1 < kTaps; ++k) value[k] = axis.value(from, std::int64_t(first) - R + k);
#pragma unroll kTaps
  for (std::uint32_t place = first; place < end; ++place) {
    value[kTaps - 1] = axis.value(from, std::int64_t(place) + R);
    double sum = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) sum += weight[k] * value[k];
    axis.to[start + std::uint64_t(place) * axis.stride] = float(sum);
#pragma unroll
    for (int k = 0; k + 1 < kTaps; ++k) value[k] = value[k + 1];
  }
}

inline constexpr std::uint32_t kWarpCells = 128;  // of a row; rows are multiples of it

// A warp for each stretch of kWarpCells; up to four taps on either side.
template <int R>
__global__ void smooth_long_rows_kernel(SmoothAxis axis, std::uint64_t stretches) {
  static_assert(R <= 4);
  constexpr int kTaps = 2 * R + 1;
  const std::uint64_t stretch = (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (stretch >= stretches) return;
  const int lane = int(threadIdx.x % 32);
  const std::uint32_t in_row = axis.cells / kWarpCells;
  const std::uint64_t line = stretch / in_row;
  const float* const from = axis.from + line * axis.cells;
  const auto first = std::int64_t(stretch % in_row) * kWarpCells + 4 * lane;
  const float4 four = *reinterpret_cast<const float4*>(from + first);
  const float own[4] = {four.x, four.y, four.z, four.w};
  double value[12];  // from four cells before the lane's own on
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    value[k] = double(__shfl_up_sync(~0u, own[k], 1));
    value[4 + k] = double(own[k]);
    value[8 + k] = double(__shfl_down_sync(~0u, own[k], 1));
  }
  if (lane == 0) {
#pragma unroll
    for (int k = 4 - R; k < 4; ++k) value[k] = axis.value(from, first - 4 + k);
  }
  if (lane == 31) {
#pragma unroll
    for (int k = 8; k < 8 + R; ++k) value[k] = axis.value(from, first - 4 + k);
  }
  double weight[kTaps];
#pragma unroll
  for (int k = 0; k < kTaps; ++k) weight[k] = axis.weights[k];
  float smooth[4];
#pragma unroll
  for (int cell = 0; cell < 4; ++cell) {
    double sum = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) sum += weight[k] * value[4 + cell - R + k];
    smooth[cell] = float(sum);
  }
  *reinterpret_cast<float4*>(axis.to + line * axis.cells + first) =
      make_float4(smooth[0], smooth[1], smooth[2], smooth[3]);
}

template <int R>
__global__ void smooth_rows_kernel(SmoothAxis axis, std::uint64_t lines) {
  constexpr int kTaps = 2 * R + 1, kThreads = 256;
  __shared__ double value[kThreads + 2 * R];
  double weight[kTaps];
#pragma unroll
  for (int k = 0; k < kTaps; ++k) weight[k] = axis.weights[k];
  const auto first = std::int64_t(blockIdx.y) * kThreads;
  for (std::uint64_t line = blockIdx.x; line < lines; line += gridDim.x) {
    const float* const from = axis.from + line * axis.cells;
    for (int k = int(threadIdx.x); k < kThreads + 2 * R; k += kThreads)
      if (first + k < std::int64_t(axis.cells) + 2 * R) value[k] = axis.value(from, first + k - R);
    __syncthreads();
    const std::int64_t place = first + threadIdx.x;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) sum += weight[k] * value[int(threadIdx.x) + k];
    if (place < std::int64_t(axis.cells))
      axis.to[line * axis.cells + std::uint64_t(place)] = float(sum);
    __syncthreads();
  }
}

template <int R>
void smooth_lines(Cuda& exec, const SmoothAxis& axis, std::size_t cells) {
  const NamedRange range("smoothing");
  const std::uint64_t lines = cells / axis.cells;
  constexpr unsigned kThreads = 256, kMostRows = 1u << 16;
  const auto parts = [&](unsigned length) { return unsigned((axis.cells + length - 1) / length); };
  if constexpr (R <= 4) {
    if (axis.stride == 1 && axis.cells % kWarpCells == 0) {
      const std::uint64_t stretches = cells / kWarpCells, per_block = kThreads / 32;
      smooth_long_rows_kernel<R>
          <<<unsigned((stretches + per_block - 1) / per_block), kThreads, 0, exec.stream()>>>(
              axis, stretches);
      return check_cuda(cudaGetLastError(), "smoothing");
    }
  }
  if (axis.stride == 1)
    smooth_rows_kernel<R><<<dim3(unsigned(lines < kMostRows ? lines : kMostRows), parts(kThreads)),
                            kThreads, 0, exec.stream()>>>(axis, lines);
  else
    smooth_across_kernel<R><<<dim3(unsigned((lines + kThreads - 1) / kThreads), parts(kLineLength)),
                              kThreads, 0, exec.stream()>>>(axis, lines);
  check_cuda(cudaGetLastError(), "smoothing");
}

// In place of the plain way for some numbers of taps.
inline void smooth_axis(Cuda& exec, const SmoothAxis& axis, std::size_t cells) {
  const bool is_centered = axis.first < 0 && axis.taps == 1 - 2 * axis.first;
  if (is_centered && axis.first == -2) return smooth_lines<2>(exec, axis, cells);
  if (is_centered && axis.first == -4) return smooth_lines<4>(exec, axis, cells);
  if (is_centered && axis.first == -6) return smooth_lines<6>(exec, axis, cells);
  if (is_centered && axis.first == -8) return smooth_lines<8>(exec, axis, cells);
  parallel_for(exec, "smoothing", cells, axis);
}

}  // namespace haloscope::compute::grids
