#include "compute/exec/warp.cuh"
#include "compute/splotch/binned_splats.cuh"
#include "compute/splotch/pixel_atomics.cuh"

#include <algorithm>

namespace haloscope::compute::splotch {

namespace {

constexpr int kThreads = 384, kBlocksPerMultiprocessor = 2;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kChunk = SplatBins::kChunk;
constexpr int kOwn = (int(kChunk) + kThreads - 1) / kThreads;  // of a thread

struct BinState {
  BinWindow window;
  NarrowSplats<int(kChunk), kThreads, BinWindow> narrow;
  // Of some splats of a chunk, each told by its brightest channel.
  unsigned brightest;  // as the bits of a float
  float light;         // of all
  unsigned count;
};
static_assert(kBlocksPerMultiprocessor * (sizeof(BinState) + kMemoryOfBlock) <=
              kMemoryOfMultiprocessor);

// Splats are drawn together up to so many times their own mean light, so that half a unit of the
// window is 3e-5 of it at most; those beyond, few of a chunk, once more by themselves.
constexpr float kLikeMean = 32;

// Adds the window to the image, but for what lies beyond its edges, and clears it; a warp takes
// whole rows.
__device__ void flush(BinWindow& w, int x0, int y0, int width, int height, float inverse,
                      float4* image) {
  const int lane = int(threadIdx.x) % 32;
  for (int row = int(threadIdx.x) / 32; row < BinWindow::kSide; row += kWarps) {
    const int y = y0 + row;
    for (int column = lane; column < BinWindow::kSide; column += 32) {
      const int x = x0 + column, at = row * BinWindow::kSide + column;
      const int r = w.sum[0][at], g = w.sum[1][at], b = w.sum[2][at];
      if ((r | g | b) == 0) continue;
      w.sum[0][at] = w.sum[1][at] = w.sum[2][at] = 0;
      if (unsigned(x) < unsigned(width) && unsigned(y) < unsigned(height))
        add_to_pixel(image + std::size_t(y) * std::size_t(width) + std::size_t(x),
                     float(r) * inverse, float(g) * inverse, float(b) * inverse);
    }
  }
}

// The splat of a bin, with its light as it is.
__device__ PlacedSplat from_bin(const uint4& words, float (&light)[3]) {
  const NarrowSplat s{{words.x, words.y, words.z, words.w}};
  unpack_light<kBinnedBlueBits>(s, light);
  return {s, int(words.w & kBinnedSizeMask), words.x >> 18};
}

__device__ float brightest_of(const uint4& words) {
  float light[3];
  from_bin(words, light);
  return fmaxf(light[0], fmaxf(light[1], light[2]));
}

// The most light that a splat may have to be drawn with those of `some` (a bit each). All threads
// come together.
__device__ float most_together(const uint4 (&own)[kOwn], unsigned some, BinState& state) {
  if (threadIdx.x == 0) state.brightest = state.count = 0, state.light = 0;
  __syncthreads();
  float peak = 0, sum = 0;
#pragma unroll
  for (int k = 0; k < kOwn; ++k) {
    const float brightest = some >> k & 1 ? brightest_of(own[k]) : 0.f;
    peak = fmaxf(peak, brightest);
    sum += brightest;
  }
  unsigned count = unsigned(__popc(some));
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(~0u, sum, d);
    count += __shfl_xor_sync(~0u, count, d);
  }
  // Bits of positive floats are in their order.
  const unsigned warps_peak = warp_maximum(__float_as_uint(peak));
  if (threadIdx.x % 32 == 0) {
    atomicMax(&state.brightest, warps_peak);
    atomicAdd(&state.light, sum);
    atomicAdd(&state.count, count);
  }
  __syncthreads();
  return fminf(__uint_as_float(state.brightest), kLikeMean * (state.light / float(state.count)));
}

// Leaves those of `some` that are drawn together; returns the most light that one of them may have.
// Each round leaves fewer, and at least one, that of the least light.
__device__ float keep_together(const uint4 (&own)[kOwn], unsigned& some, BinState& state) {
  for (;;) {
    const float most = most_together(own, some, state);
    unsigned within = 0;
#pragma unroll
    for (int k = 0; k < kOwn; ++k)
      if ((some >> k & 1) && brightest_of(own[k]) <= most) within |= 1u << k;
    const bool fewer = __syncthreads_or(within != some);
    some = within;
    if (!fewer) return most;
  }
}

// Blocks take chunks by turns.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    draw_bins_kernel(const __grid_constant__ SplatBins bins, int width, int height, float4* image) {
  const unsigned chunks = min(*bins.taken, bins.chunk_count);
  if (blockIdx.x >= chunks) return;
  extern __shared__ __align__(16) unsigned char raw[];
  auto& state = *reinterpret_cast<BinState*>(raw);
  for (int i = int(threadIdx.x); i < int(sizeof(BinWindow) / sizeof(int)); i += kThreads)
    (&state.window.sum[0][0])[i] = 0;
  state.narrow.clear();
  for (unsigned chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    const int bin = int(bins.chunks[chunk].bin);
    const unsigned n = min(kChunk, bins.counts[bin] - bins.chunks[chunk].number * kChunk);
    const auto* const from =
        reinterpret_cast<const uint4*>(bins.splats + std::size_t(chunk) * kChunk);
    uint4 own[kOwn];
    unsigned left = 0;
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
      const unsigned at = threadIdx.x + unsigned(k * kThreads);
      own[k] = at < n ? from[at] : uint4{};
      left |= unsigned(at < n) << k;
    }
    do {
      unsigned together = left;
      const float most = keep_together(own, together, state);
      left &= ~together;
      const float units = most > 0 ? brightest_units(state.count) / most : 0.f;
      constexpr float kUnit = power_of_two(BinWindow::kLightUnit);
#pragma unroll
      for (int k = 0; k < kOwn; ++k) {
        float light[3];
        PlacedSplat placed = from_bin(own[k], light);
        for (float& l : light) l = l * units * kUnit;
        pack_light<24>(placed.splat, light[0], light[1], light[2]);
        state.narrow.wait(together >> k & 1, placed);
      }
      __syncthreads();
      state.narrow.draw(state.window);
      __syncthreads();
      flush(state.window, bin % bins.columns * SplatBins::kSide - kBeforeBin,
            bin / bins.columns * SplatBins::kSide - kBeforeBin, width, height,
            units > 0 ? 1 / units : 0.f, image);
    } while (__syncthreads_or(left != 0));
  }
}

}  // namespace

SplatBins BinMemory::bins(int width, int height, std::uint64_t particles) {
  SplatBins out;
  if (lacks_memory_) return out;
  const auto along = [](int pixels) {
    return std::size_t((pixels + SplatBins::kSide - 1) / SplatBins::kSide);
  };
  const std::size_t bin_count = along(width) * along(height);
  // Sparse runs hold fewer narrow splats than a quarter of all in most views, and the last chunk of
  // a bin is half empty.
  const std::size_t chunks =
      std::min(std::size_t(particles) / 4 / kChunk + bin_count / 2, std::size_t(most_) / kChunk);
  const std::size_t counters = 1 + bin_count * (1 + SplatBins::kMostChunks);
  try {
    if (chunks_.size() < chunks) {
      splats_ = {};
      splats_ = Buffer<NarrowSplat, Cuda>(exec_, chunks * kChunk, "splats by place");
      chunks_ = Buffer<SplatBins::Chunk, Cuda>(exec_, chunks, "splats by place");
    }
    counters_.reserve(exec_, counters, "splats by place");
  } catch (const Error&) {
    give_up();
    return out;
  }
  exec_.zero(counters_.data(), counters * sizeof(unsigned));
  out.splats = splats_.data();
  out.chunks = chunks_.data();
  out.chunk_count = unsigned(chunks_.size());
  out.taken = counters_.data();
  out.counts = counters_.data() + 1;
  out.places = out.counts + bin_count;
  out.columns = int(along(width));
  return out;
}

void BinMemory::give_up() {
  splats_ = {};
  chunks_ = {};
  counters_ = {};
  lacks_memory_ = true;
}

std::size_t bytes_of_bin_block() {
  return sizeof(BinState);
}

void draw_bins(Cuda& exec, const SplatBins& bins, int width, int height, float4* image) {
  exec.make_current();
  check_cuda(cudaFuncSetAttribute(draw_bins_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(sizeof(BinState))),
             "asking for shared memory");
  const unsigned grid =
      std::min(bins.chunk_count, unsigned(kBlocksPerMultiprocessor * exec.multiprocessors()));
  draw_bins_kernel<<<grid, kThreads, sizeof(BinState), exec.stream()>>>(bins, width, height, image);
  check_cuda(cudaGetLastError(), "small and medium particles");
}

}  // namespace haloscope::compute::splotch
