#include "compute/exec/side_stream.cuh"
#include "compute/exec/warp.cuh"
#include "compute/splotch/binned_splats.cuh"
#include "compute/splotch/pixel_atomics.cuh"

#include <algorithm>
#include <cmath>

namespace haloscope::compute::splotch {

namespace {

constexpr int kThreads = 512, kBlocksPerMultiprocessor = 2;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kChunk = SplatBins::kChunk, kGroup = SplatBins::kGroup;
constexpr int kOwn = (int(kChunk) + kThreads - 1) / kThreads;  // of a thread

struct BinState {
  BinWindow window;
  NarrowSplats<int(kChunk), kThreads, BinWindow> narrow;
  unsigned next;            // group
  unsigned chunks[kGroup];  // of the group; kNone where there is none
  // Of some splats of a group, each told by its brightest channel.
  unsigned brightest;  // as the bits of a float
  float light;         // of all
  unsigned count;
};
static_assert(kBlocksPerMultiprocessor * (sizeof(BinState) + kMemoryOfBlock) <=
              kMemoryOfMultiprocessor);

// Splats are drawn together up to so many times their own mean light, so that a unit of the
// window is 1.5e-5 of it at most; those beyond, few of a group, once more by themselves.
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
  return fmaxf(fabsf(light[0]), fmaxf(fabsf(light[1]), fabsf(light[2])));
}

// Reads the chunks of a group, by a block.
class ChunkReader {
 public:
  // All threads come together.
  __device__ ChunkReader(const SplatBins& bins, const SplatBins::Group& group, BinState& state)
      : bins_(bins), chunks_(state.chunks) {
    const unsigned before = group.first * kChunk;
    count_ = min(bins.counts[group.bin] - before, kGroup * kChunk);
    if (threadIdx.x < kGroup)
      state.chunks[threadIdx.x] =
          threadIdx.x < chunk_count()
              ? bins.places[group.bin * SplatBins::kMostChunks + group.first + threadIdx.x]
              : SplatBins::kNone;
    __syncthreads();
  }

  __device__ unsigned chunk_count() const { return (count_ + kChunk - 1) / kChunk; }

  // Reads a thread's splats of chunk k of the group; returns a bit for each that there is.
  __device__ unsigned read(unsigned k, uint4 (&own)[kOwn]) const {
    const unsigned place = k < chunk_count() ? chunks_[k] : SplatBins::kNone;
    if (place == SplatBins::kNone) return 0;
    const unsigned n = min(kChunk, count_ - k * kChunk);
    const auto* const from =
        reinterpret_cast<const uint4*>(bins_.splats + std::size_t(place - 1) * kChunk);
    unsigned some = 0;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      const unsigned at = threadIdx.x + unsigned(i * kThreads);
      if (at < n) own[i] = from[at];
      some |= unsigned(at < n) << i;
    }
    return some;
  }

 private:
  const SplatBins& bins_;
  const unsigned* chunks_;
  unsigned count_;  // splats, also those without a chunk
};

// Splats of more light than `above`, and no more than `most`.
struct LightRange {
  float above, most;
  __device__ bool holds(float light) const { return light > above && light <= most; }
};

// Of the splats of a group in a range. All threads come together.
struct GroupLight {
  float brightest, sum;
  unsigned count;

  __device__ GroupLight(const ChunkReader& chunks, const LightRange& range, BinState& state) {
    __syncthreads();
    if (threadIdx.x == 0) state.brightest = state.count = 0, state.light = 0;
    __syncthreads();
    brightest = sum = 0, count = 0;
    for (unsigned k = 0; k < chunks.chunk_count(); ++k) {
      uint4 own[kOwn] = {};
      const unsigned some = chunks.read(k, own);
#pragma unroll
      for (int i = 0; i < kOwn; ++i) {
        const float light = some >> i & 1 ? brightest_of(own[i]) : -1.f;
        if (!range.holds(light)) continue;
        brightest = fmaxf(brightest, light);
        sum += light;
        ++count;
      }
    }
    for (int d = 16; d > 0; d /= 2) {
      sum += __shfl_xor_sync(~0u, sum, d);
      count += __shfl_xor_sync(~0u, count, d);
    }
    // Bits of positive floats are in their order.
    const unsigned peak_of_warp = warp_maximum(__float_as_uint(brightest));
    if (threadIdx.x % 32 == 0) {
      atomicMax(&state.brightest, peak_of_warp);
      atomicAdd(&state.light, sum);
      atomicAdd(&state.count, count);
    }
    __syncthreads();
    brightest = __uint_as_float(state.brightest), sum = state.light, count = state.count;
  }
};

// Draws the splats of a range into the window; `units` are those of the window for light of 1.
__device__ void draw_range(const ChunkReader& chunks, const LightRange& range, float units,
                           BinState& state) {
  constexpr float kUnit = power_of_two(BinWindow::kLightUnit);
  uint4 own[kOwn] = {};
  unsigned some = chunks.read(0, own);
  for (unsigned k = 0; k < chunks.chunk_count(); ++k) {
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      const bool drawn = (some >> i & 1) && range.holds(brightest_of(own[i]));
      float light[3];
      PlacedSplat placed = from_bin(own[i], light);
      for (float& l : light) l = l * units * kUnit;
      pack_light<24>(placed.splat, light[0], light[1], light[2]);
      state.narrow.wait(drawn, placed);
    }
    __syncthreads();
    some = chunks.read(k + 1, own);  // while others are drawn
    state.narrow.draw(state.window);
    __syncthreads();
  }
}

// Units of the window for light of 1: one splat stays below 2²², and the sum of all below 2³¹.
__device__ float units_of(const GroupLight& light) {
  return light.brightest > 0 ? fminf(float(1 << 21) / light.brightest, float(1 << 30) / light.sum)
                             : 0.f;
}

// Blocks take groups as they have time.
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    draw_bins_kernel(const __grid_constant__ SplatBins bins, int width, int height, float4* image) {
  const unsigned groups = bins.counters->groups;
  if (blockIdx.x >= groups) return;
  extern __shared__ __align__(16) unsigned char raw[];
  auto& state = *reinterpret_cast<BinState*>(raw);
  for (int i = int(threadIdx.x); i < int(sizeof(BinWindow) / sizeof(int)); i += kThreads)
    (&state.window.sum[0][0])[i] = 0;
  state.narrow.clear();
  if (threadIdx.x == 0) state.next = atomicAdd(&bins.counters->taken, 1u);
  __syncthreads();
  for (unsigned at = state.next; at < groups; at = state.next) {
    const SplatBins::Group group = bins.groups[at];
    const ChunkReader chunks(bins, group, state);
    if (threadIdx.x == 0) state.next = atomicAdd(&bins.counters->taken, 1u);
    LightRange range{0, HUGE_VALF};  // without those that have none
    for (;;) {
      GroupLight light(chunks, range, state);
      if (light.count == 0) break;
      // Each turn leaves fewer splats, and at least the faintest one.
      bool more = false;
      for (;;) {
        const float most = fminf(light.brightest, kLikeMean * (light.sum / float(light.count)));
        range.most = most;
        if (most >= light.brightest) break;
        more = true;
        light = GroupLight(chunks, range, state);
      }
      const float units = units_of(light);
      draw_range(chunks, range, units, state);
      flush(state.window, int(group.bin) % bins.columns * SplatBins::kSide - kBeforeBin,
            int(group.bin) / bins.columns * SplatBins::kSide - kBeforeBin, width, height,
            units > 0 ? 1 / units : 0.f, image);
      if (!more) break;
      range = {range.most, HUGE_VALF};
    }
    __syncthreads();
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
  constexpr std::size_t kCounters = sizeof(SplatBins::Counters) / sizeof(unsigned);
  const std::size_t counters = kCounters + bin_count * (1 + SplatBins::kMostChunks);
  try {
    if (splats_.size() < chunks * kChunk) {
      splats_ = {};
      splats_ = Buffer<NarrowSplat, Cuda>(exec_, chunks * kChunk, "splats by place");
    }
    groups_.reserve(exec_, bin_count * (SplatBins::kMostChunks / kGroup), "splats by place");
    counters_.reserve(exec_, counters, "splats by place");
  } catch (const Error&) {
    give_up();
    return out;
  }
  out.splats = splats_.data();
  out.chunk_count = unsigned(splats_.size() / kChunk);
  out.groups = groups_.data();
  out.counters = reinterpret_cast<SplatBins::Counters*>(counters_.data());
  out.counts = counters_.data() + kCounters;
  out.places = out.counts + bin_count;
  out.columns = int(along(width));
  out.counter_words = counters;
  if (empty_words_ < counters) clear(out);
  empty_words_ = 0;  // until they are emptied
  return out;
}

void BinMemory::empty(const SplatBins& bins) {
  if (bins.chunk_count == 0) return;
  clear(bins);
  empty_words_ = bins.counter_words;
}

void BinMemory::give_up() {
  splats_ = {};
  groups_ = {};
  counters_ = {};
  empty_words_ = 0;
  lacks_memory_ = true;
}

unsigned half_of_bin_blocks(const Cuda& exec) {
  static_assert(kBlocksPerMultiprocessor % 2 == 0);
  return unsigned(kBlocksPerMultiprocessor / 2 * exec.multiprocessors());
}

void BinMemory::clear(const SplatBins& bins) {
  exec_.zero(bins.counters, bins.counter_words * sizeof(unsigned));
}

std::size_t bytes_of_bin_block() {
  return sizeof(BinState);
}

void draw_bins(Cuda& exec, const SplatBins& bins, int width, int height, float4* image,
               unsigned most_blocks) {
  prefer_shared_memory<draw_bins_kernel>(exec, sizeof(BinState));
  const unsigned grid = std::min(
      {bins.chunk_count, unsigned(kBlocksPerMultiprocessor * exec.multiprocessors()), most_blocks});
  draw_bins_kernel<<<grid, kThreads, sizeof(BinState), exec.stream()>>>(bins, width, height, image);
  check_cuda(cudaGetLastError(), "small and medium particles");
}

}  // namespace haloscope::compute::splotch
