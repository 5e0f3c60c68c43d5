#include "compute/exec/cuda.h"
#include "compute/splotch/medium_tiles.h"

namespace haloscope::compute::splotch {

namespace {

constexpr int kPadded = PaperTiling::kPadded;
constexpr int kThreads = 4 * PaperTiling::kBoundary * PaperTiling::kBoundary;  // 4 r0² (§4.2)
constexpr int kParticles = 16;  // n_p, read at once into shared memory

// One block per tile. Particles are drawn one after the other, each by all threads at once, a
// thread per pixel: no two threads meet in a pixel. The padded tile is then added to the image;
// atomics stand in for the paper's three image copies, since boundaries of neighboring tiles
// overlap.
template <class P>
__global__ void __launch_bounds__(kThreads)
    draw_medium_tiles(const Splat* splats, const std::int32_t* tile_ids,
                      const std::int32_t* tile_ends, PaperTiling tiling, float* image) {
  __shared__ float tile[3][kPadded * kPadded];
  __shared__ Splat batch[kParticles];
  const int x0 = tiling.first_column(tile_ids[blockIdx.x]);
  const int y0 = tiling.first_row(tile_ids[blockIdx.x]);
  const int begin = blockIdx.x > 0 ? tile_ends[blockIdx.x - 1] : 0;
  const int end = tile_ends[blockIdx.x];
  for (int i = threadIdx.x; i < kPadded * kPadded; i += kThreads)
    for (int c = 0; c < 3; ++c) tile[c][i] = 0;

  for (int first = begin; first < end; first += kParticles) {
    __syncthreads();
    const int n = min(kParticles, end - first);
    if (int(threadIdx.x) < n) batch[threadIdx.x] = splats[first + int(threadIdx.x)];
    __syncthreads();
    for (int k = 0; k < n; ++k) {
      const Splat& s = batch[k];
      const float extent = P::extent(s.radius);
      const PixelRange columns = pixel_range(s.ix - x0, s.fx, extent, 0, kPadded);
      const PixelRange rows = pixel_range(s.iy - y0, s.fy, extent, 0, kPadded);
      const int width = columns.last - columns.first + 1;
      const int pixels = width * (rows.last - rows.first + 1);
      for (int i = threadIdx.x; i < pixels; i += kThreads) {
        const int x = columns.first + i % width;
        const int y = rows.first + i / width;
        const float w =
            P::weight(float(x - (s.ix - x0)) - s.fx, float(y - (s.iy - y0)) - s.fy, s.radius);
        for (int c = 0; c < 3; ++c) {
          float& target = tile[c][y * kPadded + x];
          target = fmaf(w, s.emission[c], target);
        }
      }
      __syncthreads();
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kPadded * kPadded; i += kThreads) {
    const int x = x0 + i % kPadded;
    const int y = y0 + i / kPadded;
    if (x < 0 || y < 0 || x >= tiling.width || y >= tiling.height) continue;
    float* pixel = image + 4 * (std::size_t(y) * std::size_t(tiling.width) + std::size_t(x));
    for (int c = 0; c < 3; ++c)
      if (tile[c][i] != 0) atomicAdd(pixel + c, tile[c][i]);
  }
}

}  // namespace

template <Mode M>
void medium_tiles(Cuda& exec, const Splat* splats, const std::int32_t* tile_ids,
                  const std::int32_t* tile_ends, std::size_t tiles, const PaperTiling& tiling,
                  float* image) {
  if (tiles == 0) return;
  const NamedRange range("medium particles");
  draw_medium_tiles<Profile<M>>
      <<<unsigned(tiles), kThreads, 0, exec.stream()>>>(splats, tile_ids, tile_ends, tiling, image);
  check_cuda(cudaGetLastError(), "medium particles");
}

template void medium_tiles<Mode::Classic>(Cuda&, const Splat*, const std::int32_t*,
                                          const std::int32_t*, std::size_t, const PaperTiling&,
                                          float*);
template void medium_tiles<Mode::Default>(Cuda&, const Splat*, const std::int32_t*,
                                          const std::int32_t*, std::size_t, const PaperTiling&,
                                          float*);

}  // namespace haloscope::compute::splotch
