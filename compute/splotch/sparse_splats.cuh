#pragma once

#include "compute/splotch/narrow_splats.cuh"
#include "compute/splotch/pixel_atomics.cuh"

#include <cstddef>

// Splats of 2 to 6 pixels along an axis that go to the image itself, for no window holds them. A
// warp adds those of its 32 particles at once: eight lanes a splat, a column each, so that
// neighbors in a row go to memory together.
namespace haloscope::compute::splotch {

// The image, as a target of narrow splats.
struct SparseImage {
  static constexpr bool kFar = true;
  static constexpr float kWidest = FluxProfile::kIntegratedRadius;
  float4* pixels;
  int width, height;

  __device__ float4* row(int y) const { return pixels + std::ptrdiff_t(y) * std::ptrdiff_t(width); }
  __device__ void add_one(int x, int y, float r, float g, float b) const {
    add_to_pixel(row(y) + x, r, g, b);
  }
};

// Two 16-byte words.
struct alignas(16) SparseSplat {
  // The first pixel's far edge along each axis and the width of a pixel: from the splat's center,
  // over its support.
  float edge[2], inverse;
  int x, y;  // first pixel
  float light[3];
};

// A splat whose center lies `fx`, `fy` from the center of pixel (ix, iy).
__device__ inline SparseSplat to_sparse(int ix, int iy, float fx, float fy, float radius,
                                        const float light[3]) {
  const float support = FluxProfile::kSupportRatio * radius;
  const float inverse = __fdividef(1.f, support);
  // Of the support's near edge, in pixels, from the first edge of pixel ix.
  const float left = floorf((fx - support) + 0.5f), above = floorf((fy - support) + 0.5f);
  return {{(left + 0.5f - fx) * inverse, (above + 0.5f - fy) * inverse},
          inverse,
          ix + int(left),
          iy + int(above),
          {light[0], light[1], light[2]}};
}

template <int kThreads>
class SparseSplats {
 public:
  static constexpr bool has_room() { return true; }  // none waits

  // Adds the splats of the lanes of a warp that have one; by whole warps.
  __device__ void add(bool mine, const SparseSplat& own, const SparseImage& image) {
    const unsigned mask = __ballot_sync(~0u, mine);
    const int lane = int(threadIdx.x) % 32, count = __popc(mask);
    SparseSplat* const splats = splats_[threadIdx.x / 32];
    if (mine) splats[__popc(mask & ((1u << lane) - 1))] = own;
    __syncwarp();
    for (int first = 0; first < count; first += 32 / kLanes)
      add_by_lanes(splats[min(first + lane / kLanes, count - 1)], first + lane / kLanes < count,
                   image);
    __syncwarp();
  }

 private:
  static constexpr int kLanes = 8;  // of a splat, of which no axis has more pixels
  static_assert(IntegratedKernel::kMost <= kLanes);

  // Adds four splats by a warp. Weights along an axis are differences of one cumulative function,
  // which is −½ before the first pixel.
  __device__ static void add_by_lanes(const SparseSplat& s, bool exists, const SparseImage& image) {
    const int lane = int(threadIdx.x) % kLanes;
    const auto weight = [&](float edge) {
      const float far = narrow_cumulative<0>(fmaf(float(lane), s.inverse, edge));
      const float before = __shfl_up_sync(~0u, far, 1, kLanes);
      return far - (lane == 0 ? -0.5f : before);
    };
    const float column = weight(s.edge[0]), rows = weight(s.edge[1]);
    const bool within = exists && column > 0 && unsigned(s.x + lane) < unsigned(image.width);
    const float r = column * s.light[0], g = column * s.light[1], b = column * s.light[2];
    float4* pixel = image.row(s.y) + (s.x + lane);
#pragma unroll
    for (int k = 0; k < IntegratedKernel::kMost; ++k) {
      const float row = __shfl_sync(~0u, rows, k, kLanes);
      if (within && row > 0 && unsigned(s.y + k) < unsigned(image.height))
        add_to_pixel(pixel, row * r, row * g, row * b);
      pixel += image.width;
    }
  }

  SparseSplat splats_[kThreads / 32][32];
};

}  // namespace haloscope::compute::splotch
