#pragma once

#include "compute/splotch/narrow_splats.cuh"
#include "compute/splotch/pixel_atomics.cuh"

#include <cstddef>

// Narrow splats that go to the image itself, for neither a window nor a bin holds them. A
// warp adds those of its 32 particles at once: eight lanes a splat, a column each, so that
// neighbors in a row go to memory together.
namespace haloscope::compute::splotch {

struct SparseImage {
  float4* pixels;
  int width, height;

  __device__ float4* row(int y) const { return pixels + std::ptrdiff_t(y) * std::ptrdiff_t(width); }
  __device__ void add_one(int x, int y, float r, float g, float b) const {
    add_to_pixel(row(y) + x, r, g, b);
  }
};

// Two 16-byte words.
struct alignas(16) SparseSplat {
  // The first pixel's far edge along each axis, or of the radial kernel its center, and the width
  // of a pixel: from the splat's center, over its support. The width is below 0 of the radial
  // kernel.
  float edge[2], signed_inverse;
  int x, y;  // first pixel
  float light[3];
};

// A splat whose center lies `fx`, `fy` from the center of pixel (ix, iy).
__device__ inline SparseSplat to_sparse(int ix, int iy, float fx, float fy, float radius,
                                        const float light[3]) {
  const bool radial = !FluxProfile::integrated(radius);
  const float support = radial ? radius : FluxProfile::kSupportRatio * radius;
  const float inverse = __fdividef(1.f, support);
  // Of the first pixel, from pixel ix: that with the support's near edge, or with the first center
  // within the support.
  const float beside = radial ? 0.f : 0.5f;
  const float left = radial ? ceilf(fx - support) : floorf((fx - support) + 0.5f);
  const float above = radial ? ceilf(fy - support) : floorf((fy - support) + 0.5f);
  const float scale = radial ? inverse * inverse * 1.59154943f : 1.f;  // 5/π
  return {{(left + beside - fx) * inverse, (above + beside - fy) * inverse},
          radial ? -inverse : inverse,
          ix + int(left),
          iy + int(above),
          {light[0] * scale, light[1] * scale, light[2] * scale}};
}

template <int kThreads>
class SparseSplats {
 public:
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
  static constexpr int kMost = IntegratedKernel::kMost;
  static_assert(kMost <= kLanes && RadialKernel::kMost <= kMost);

  // Adds four splats by a warp. Weights of the integrated kernel along an axis are differences of
  // one cumulative function, which is −½ before the first pixel.
  __device__ static void add_by_lanes(const SparseSplat& s, bool exists, const SparseImage& image) {
    const int lane = int(threadIdx.x) % kLanes;
    const bool radial = s.signed_inverse < 0;
    const float inverse = fabsf(s.signed_inverse);
    const auto weight = [&](float edge) {
      const float far = narrow_cumulative<0>(fmaf(float(lane), inverse, edge));
      const float before = __shfl_up_sync(~0u, far, 1, kLanes);
      return far - (lane == 0 ? -0.5f : before);
    };
    const float column = weight(s.edge[0]), rows = weight(s.edge[1]);
    const float x = fmaf(float(lane), inverse, s.edge[0]), level = fmaf(-x, x, 1.f);
    const bool within =
        exists && (radial ? level > 0 : column > 0) && unsigned(s.x + lane) < unsigned(image.width);
    float4* pixel = image.row(s.y) + (s.x + lane);
#pragma unroll
    for (int k = 0; k < kMost; ++k) {
      const float row = __shfl_sync(~0u, rows, k, kLanes);
      const float y = fmaf(float(k), inverse, s.edge[1]), q = __saturatef(fmaf(-y, y, level));
      const float q2 = q * q, w = radial ? q2 * q2 : column * row;
      if (within && w > 0 && unsigned(s.y + k) < unsigned(image.height))
        add_to_pixel(pixel, w * s.light[0], w * s.light[1], w * s.light[2]);
      pixel += image.width;
    }
  }

  SparseSplat splats_[kThreads / 32][32];
};

}  // namespace haloscope::compute::splotch
