#pragma once

#include "compute/splotch/kernel_profile.h"
#include "compute/splotch/pixel_atomics.cuh"
#include "compute/splotch/run.h"
#include "compute/splotch/splat.h"

#include <type_traits>

// Where a block of the fused pass adds its splats, and how a lane or a warp draws one.
namespace haloscope::compute::splotch {

// A piece of the image in shared memory. Particles follow one another in Morton order, so a group
// of runs falls into one window, and most additions never leave the chip.
//
// Sums are fixed-point: integer additions in shared memory are native and never retried, while
// float ones are compare-and-swap loops (on an H200: 535 G against 110 to 185 G additions of three
// channels per second). Two words per channel keep 35 bits below the largest splat's value, more
// than float32 sums would.
struct Window {
  static constexpr int kSide = 40;    // pixels
  static constexpr int kStride = 40;  // an 8 × 4 patch of pixels meets no bank twice
  static constexpr int kPlane = kSide * kStride;
  int high[3][kPlane];
  int low[3][kPlane];
};

// value · scale = high + low / kLowUnits, with |value · scale| below 2²², as
// v + 1.5 · 2²³ has the rounded v in its low mantissa bits.
struct FixedPoint {
  static constexpr float kMagic = 12582912.f;
  static constexpr int kMagicBits = 0x4B400000;
  static constexpr float kLowUnits = 262144.f;  // 2¹⁸
  // How large one splat may be when a window takes kSplats of them: their sum stays below 2³⁰. Up
  // to 32 small splats come summed, as one value, which stays below 2²².
  static constexpr int kSplats = 32 * kRun;
  static constexpr float kLargest = float((1 << 30) / kSplats);

  int high, low;
  __device__ FixedPoint(float value, float scale) {
    const float t = fmaf(value, scale, kMagic);
    high = __float_as_int(t) - kMagicBits;
    const float rest = fmaf(value, scale, kMagic - t);
    low = __float_as_int(fmaf(rest, kLowUnits, kMagic)) - kMagicBits;
  }
  __device__ static float value(int high, int low, float inverse_scale) {
    return fmaf(float(low), 1.f / kLowUnits, float(high)) * inverse_scale;
  }
};

// The window, or the image itself for runs that do not fit one.
struct Target {
  Window* window;  // null: straight to the image
  float scale;     // of the window's fixed-point values
  int x, y;        // the window's first pixel
  float4* image;
  int width, height;

  __device__ void add(int px, int py, float r, float g, float b) const {
    const int at = (py - y) * Window::kStride + (px - x);
    // The bounds of a run hold its splats' pixels; should rounding ever prove them wrong, no memory
    // beside the window is touched.
    if (window && unsigned(at) < unsigned(Window::kPlane)) {
      const FixedPoint fr(r, scale), fg(g, scale), fb(b, scale);
      atomicAdd(&window->high[0][at], fr.high);
      atomicAdd(&window->low[0][at], fr.low);
      atomicAdd(&window->high[1][at], fg.high);
      atomicAdd(&window->low[1][at], fg.low);
      atomicAdd(&window->high[2][at], fb.high);
      atomicAdd(&window->low[2][at], fb.low);
    } else {
      add_to_pixel(image + std::size_t(py) * std::size_t(width) + std::size_t(px), r, g, b);
    }
  }
};

// Sums values of consecutive lanes with equal keys into the first of them; returns whether this
// lane is such a first one. Saves most collisions where many particles share a pixel.
__device__ inline bool sum_equal_neighbors(int key, float& r, float& g, float& b) {
  const unsigned lane = threadIdx.x % 32;
  const int previous = __shfl_up_sync(~0u, key, 1);
  const bool head = lane == 0 || previous != key;
  const unsigned heads = __ballot_sync(~0u, head);
  if (heads == ~0u) return true;
  const unsigned later = lane == 31 ? 0u : heads >> (lane + 1);
  const unsigned end = later ? lane + unsigned(__ffs(int(later))) : 32u;
  for (unsigned d = 1; d < 32; d *= 2) {
    // The longest stretch of equal keys decides how far sums must travel.
    if (!__any_sync(~0u, lane + d < end)) break;
    const float r2 = __shfl_down_sync(~0u, r, d);
    const float g2 = __shfl_down_sync(~0u, g, d);
    const float b2 = __shfl_down_sync(~0u, b, d);
    if (lane + d < end) {
      r += r2;
      g += g2;
      b += b2;
    }
  }
  return head;
}

// One lane draws one splat of any profile.
template <class P, class T>
__device__ void draw_sampled_by_lane(const Splat& s, const T& target) {
  const float extent = P::extent(s.radius);
  const PixelRange columns = pixel_range(s.ix, s.fx, extent, 0, target.width);
  const PixelRange rows = pixel_range(s.iy, s.fy, extent, 0, target.height);
  for (int y = rows.first; y <= rows.last; ++y) {
    const float dy = float(y - s.iy) - s.fy;
    for (int x = columns.first; x <= columns.last; ++x) {
      const float w = P::weight(float(x - s.ix) - s.fx, dy, s.radius);
      if (w > 0) target.add(x, y, w * s.emission[0], w * s.emission[1], w * s.emission[2]);
    }
  }
}

// The integrated kernel: weights along an axis are differences of one cumulative function,
// evaluated once per pixel edge.
template <class T>
__device__ void draw_integrated_by_lane(const Splat& s, const T& target) {
  const float extent = FluxProfile::extent(s.radius);
  const PixelRange columns = pixel_range(s.ix, s.fx, extent, 0, target.width);
  const PixelRange rows = pixel_range(s.iy, s.fy, extent, 0, target.height);
  const float inverse = 1.f / (FluxProfile::kSupportRatio * s.radius);
  const float left = (float(columns.first - s.ix) - s.fx - 0.5f) * inverse;
  float above = FluxProfile::half_cumulative((float(rows.first - s.iy) - s.fy - 0.5f) * inverse);
  const float first_before = FluxProfile::half_cumulative(left);
  for (int y = rows.first; y <= rows.last; ++y) {
    const float below = FluxProfile::half_cumulative((float(y - s.iy) - s.fy + 0.5f) * inverse);
    const float wy = below - above;
    above = below;
    const float r = wy * s.emission[0], g = wy * s.emission[1], b = wy * s.emission[2];
    float before = first_before;
    for (int x = columns.first; x <= columns.last; ++x) {
      const float after = FluxProfile::half_cumulative((float(x - s.ix) - s.fx + 0.5f) * inverse);
      const float wx = after - before;
      before = after;
      target.add(x, y, wx * r, wx * g, wx * b);
    }
  }
}

template <class P, class T>
__device__ void draw_by_lane(const Splat& s, const T& target) {
  if constexpr (std::is_same_v<P, FluxProfile>) {
    if (FluxProfile::integrated(s.radius)) {
      draw_integrated_by_lane(s, target);
      return;
    }
  }
  draw_sampled_by_lane<P>(s, target);
}

}  // namespace haloscope::compute::splotch
