#include "compute/exec/cuda.h"
#include "compute/splotch/level_tiles.h"

#include <cstddef>

namespace haloscope::compute::splotch {

namespace {

// Coarse cells of a tile, and beside it those that its upsampling reads. Two finer cells take some
// three steps of upsampling so, and nine where each pair upsamples the columns beside it anew.
constexpr int kColumns = 32, kRows = 8, kReach = 3;
constexpr int kWidth = kColumns + 2 * kReach, kHeight = kRows + 2 * kReach;
constexpr int kThreads = 256;
constexpr int kPairs = kColumns * 2 * kRows / kThreads;  // of a thread, which are two cells each

struct Tile {
  float coarse[3][kHeight][kWidth];
  float between[3][2 * kRows][kWidth];  // upsampled along columns alone
};

__device__ float4* row_of(const Cells& cells, int y) {
  return reinterpret_cast<float4*>(cells.rgba) +
         std::ptrdiff_t(y + cells.margin) * std::ptrdiff_t(cells.width);
}

// Reads the coarse cells from (x0, y0) on. Returns whether any of them has light.
__device__ bool load(Tile& tile, const Cells& coarse, int x0, int y0) {
  bool light = false;
  for (int i = int(threadIdx.x); i < kWidth * kHeight; i += kThreads) {
    const int column = i % kWidth, row = i / kWidth;
    // Beyond the margin lies only what no cell of the box asks for.
    const int x = min(max(x0 + column, -coarse.margin), coarse.width - coarse.margin - 1);
    const int y = min(max(y0 + row, -coarse.margin), coarse.height - coarse.margin - 1);
    const float4 cell = row_of(coarse, y)[x + coarse.margin];
    tile.coarse[0][row][column] = cell.x;
    tile.coarse[1][row][column] = cell.y;
    tile.coarse[2][row][column] = cell.z;
    light = light || cell.x != 0 || cell.y != 0 || cell.z != 0;
  }
  return __syncthreads_or(light);
}

__global__ void __launch_bounds__(kThreads)
    add_level_kernel(const __grid_constant__ Cells coarse, const __grid_constant__ Cells fine,
                     const __grid_constant__ CellBox box) {
  __shared__ Tile tile;
  const int x0 = (box.x0 >> 1) + int(blockIdx.x) * kColumns;  // first coarse cell
  const int y0 = (box.y0 >> 1) + int(blockIdx.y) * kRows;
  if (!load(tile, coarse, x0 - kReach, y0 - kReach)) return;

  // Asked for before they are needed.
  float4 cells[kPairs][2];
  float4* at[kPairs];
  bool even[kPairs], odd[kPairs];
#pragma unroll
  for (int k = 0; k < kPairs; ++k) {
    const int i = int(threadIdx.x) + k * kThreads;
    const int x = 2 * (x0 + i % kColumns), y = 2 * y0 + i / kColumns;
    const bool within = y >= box.y0 && y < box.y1;
    even[k] = within && x >= box.x0 && x < box.x1;
    odd[k] = within && x + 1 >= box.x0 && x + 1 < box.x1;
    at[k] = row_of(fine, y) + fine.margin + x;
    if (even[k]) cells[k][0] = at[k][0];
    if (odd[k]) cells[k][1] = at[k][1];
  }
  for (int i = int(threadIdx.x); i < 2 * kRows * kWidth; i += kThreads) {
    const int column = i % kWidth, row = i / kWidth;
    // An odd row lies nearer to the coarse row below its own, an even one to that above.
    const int own = row / 2 + kReach, step = row % 2 ? 1 : -1;
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      const auto cell = [&](int steps) { return tile.coarse[c][own + steps * step][column]; };
      tile.between[c][row][column] =
          quarter_step(cell(-2), cell(-1), cell(0), cell(1), cell(2), cell(3));
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kPairs; ++k) {
    const int i = int(threadIdx.x) + k * kThreads;
    float sum[2][3];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      const float* const near = &tile.between[c][i / kColumns][i % kColumns];
      sum[0][c] = quarter_step(near[5], near[4], near[3], near[2], near[1], near[0]);
      sum[1][c] = quarter_step(near[1], near[2], near[3], near[4], near[5], near[6]);
    }
    const auto added = [](const float4& cell, const float(&light)[3]) {
      return make_float4(cell.x + light[0], cell.y + light[1], cell.z + light[2], cell.w);
    };
    if (even[k]) at[k][0] = added(cells[k][0], sum[0]);
    if (odd[k]) at[k][1] = added(cells[k][1], sum[1]);
  }
}

}  // namespace

void add_level_on_gpu(Cuda& exec, const Cells& coarse, const Cells& fine, const CellBox& box) {
  if (box.empty()) return;
  const NamedRange range("add a level");
  const auto tiles = [](int begin, int end, int side) {
    return unsigned((((end - 1) >> 1) - (begin >> 1)) / side + 1);
  };
  const dim3 grid(tiles(box.x0, box.x1, kColumns), tiles(box.y0, box.y1, kRows));
  add_level_kernel<<<grid, kThreads, 0, exec.stream()>>>(coarse, fine, box);
  check_cuda(cudaGetLastError(), "add a level");
}

}  // namespace haloscope::compute::splotch
