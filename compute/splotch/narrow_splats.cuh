#pragma once

#include "compute/splotch/kernel_profile.h"
#include "compute/splotch/pixel_atomics.cuh"

#include <cuda_runtime.h>

// Splats of 3 to 6 pixels along an axis, which wait in shared memory until a block has many of
// them, and are then drawn into its window, a splat a lane.
//
// Additions in shared memory are what such a block does most of the time. 32 additions to as many
// banks take one cycle (an H200), those that meet in a bank one each: 3.6 cycles where the banks
// are random. So the splats are sorted by the bank of their first pixel, and the lanes of a warp
// take splats that are a 32nd of the list apart. As all lanes walk their pixels in one order, their
// banks differ all the way: 1.7 to 2 cycles for 300 to 2000 splats of one size.
namespace haloscope::compute::splotch {

// Sizes by how many pixels a splat touches along an axis at most, wherever in its pixel its center
// lies: 3, 4, 5 and 6.
inline constexpr int kNarrowSizes = 4, kLeastPixels = 3;
inline constexpr int kBanks = 32;
inline constexpr int kNarrowKeys = kNarrowSizes * kBanks;

constexpr float power_of_two(int exponent) {
  float out = 1;
  for (; exponent < 0; ++exponent) out *= 0.5f;
  return out;
}

// A product that is a whole number of the least positive float is that number when its bits are
// taken as an integer: multiplying rounds to whole units and converts at once. Weights along x are
// in kWeightUnit, light in kLightUnit, and both multiply to 2⁻¹⁴⁹.
struct IntegerProduct {
  static constexpr int kWeightUnit = -89, kLightUnit = -60;  // as powers of two
  __device__ static int of(float weight, float light) { return __float_as_int(weight * light); }
};

// Where splats are drawn: a piece of the image in shared memory, one word per channel. Each splat
// is rounded to 2⁻¹⁷ of the brightest that the window may take, or finer where it takes few.
template <int kWindowSide>
struct NarrowWindow {
  static constexpr int kSide = kWindowSide, kPlane = kSide * kSide;
  static_assert(kPlane <= 1 << 14);
  static constexpr bool kFar = false;  // a splat's first pixel has no more than 14 bits
  static constexpr int kWeightUnit = IntegerProduct::kWeightUnit;
  static constexpr int kLightUnit = IntegerProduct::kLightUnit;
  int sum[3][kPlane];

  template <int kPixels>
  __device__ void add(int first, const float (&columns)[kPixels], const float (&rows)[kPixels],
                      const float (&light)[3]) {
#pragma unroll
    for (int row = 0; row < kPixels; ++row)
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        const float of_row = rows[row] * light[c];
#pragma unroll
        for (int column = 0; column < kPixels; ++column)
          atomicAdd(&sum[c][first + row * kSide + column],
                    IntegerProduct::of(columns[column], of_row));
      }
  }
  __device__ void add_one(int x, int y, float r, float g, float b) {
    const int at = max(min(y * kSide + x, kPlane - 1), 0);
    atomicAdd(&sum[0][at], __float2int_rn(r));
    atomicAdd(&sum[1][at], __float2int_rn(g));
    atomicAdd(&sum[2][at], __float2int_rn(b));
  }
};

// The image itself.
struct NarrowImage {
  static constexpr bool kFar = true;
  static constexpr int kWeightUnit = 0, kLightUnit = 0;
  float4* pixels;
  int width, height;

  __device__ float4* row(int y) const { return pixels + std::ptrdiff_t(y) * std::ptrdiff_t(width); }
  __device__ void add_one(int x, int y, float r, float g, float b) const {
    add_to_pixel(row(y) + x, r, g, b);
  }
};

// A splat that waits, in one 16-byte word: first pixel (14 bits), where in their pixels its center
// lies (18 bits each), 1 over its support (14), light by channel (20 each).
struct alignas(16) NarrowSplat {
  unsigned words[4];
};

namespace narrow_code {
inline constexpr unsigned kMagicBits = 0x4B000000;  // of 2²³, whose mantissa counts ones
inline constexpr unsigned kFractionMask = 0x3ffff, kInverseMask = 0x3fff;
inline constexpr float kMagic = 8388608.f;
inline constexpr float kFraction = 262143.f;  // steps of a pixel
inline constexpr float kInverse = 16383.f / 2.2f;
static_assert(1 / (FluxProfile::kSupportRatio * kSmallRadius) < 2.2f);

__device__ inline unsigned to_code(float x, float steps, unsigned mask) {
  return __float_as_uint(fmaf(x, steps, kMagic)) & mask;
}
// Of the bits below the mask.
__device__ inline float from_code(unsigned bits, unsigned mask, float step, float offset) {
  return fmaf(__uint_as_float((bits & mask) | kMagicBits), step, offset - kMagic * step);
}
}  // namespace narrow_code

// `size` is the number of pixels along an axis less kLeastPixels; (x, y) is the first pixel.
struct PlacedSplat {
  NarrowSplat splat;
  int size, x, y;
};

// Packs a splat whose center lies `fx`, `fy` from the center of pixel (ix, iy), half a pixel at
// most. Its radius is between kSmallRadius and FluxProfile::kIntegratedRadius.
template <class Target>
__device__ PlacedSplat to_narrow(int ix, int iy, float fx, float fy, float radius,
                                 const float light[3]) {
  const float support = FluxProfile::kSupportRatio * radius;
  const float steps = fmaxf(ceilf(support + support), float(kLeastPixels - 1));
  const float half = fmaf(steps, 0.5f, 0.5f);
  const float left = fx - half, top = fy - half;
  const float column = floorf(left), row = floorf(top);
  PlacedSplat out;
  const int pixels = int(steps) + 1;
  out.size = pixels - kLeastPixels;
  out.x = ix + int(column) + 1;
  out.y = iy + int(row) + 1;
  unsigned first = 0;
  if constexpr (!Target::kFar) {
    // The bounds of a run hold its splats' pixels; should rounding ever prove them wrong, no memory
    // beside the window is touched.
    constexpr int kSide = Target::kSide;
    first = unsigned(
        max(min(out.y * kSide + out.x, Target::kPlane - 1 - (pixels - 1) * (kSide + 1)), 0));
    out.x = int(first);
  }
  using namespace narrow_code;
  const unsigned x = to_code(left - column, kFraction, kFractionMask);
  const unsigned y = to_code(top - row, kFraction, kFractionMask);
  const unsigned inverse = to_code(__fdividef(1.f, support), kInverse, kInverseMask);
  constexpr float unit = power_of_two(Target::kLightUnit);
  const unsigned r = __float_as_uint(light[0] * unit) + 0x800u;
  const unsigned g = __float_as_uint(light[1] * unit) + 0x800u;
  const unsigned b = __float_as_uint(light[2] * unit) + 0x800u;
  out.splat = {{first << 18 | x, y << 14 | inverse, (r & 0xfffff000u) | g >> 20,
                (g << 12 & 0xff000000u) | b >> 8}};
  return out;
}

// FluxProfile::half_cumulative() times 2^kUnit.
template <int kUnit>
__device__ float narrow_cumulative(float x) {
  constexpr float c = 315.f / 256.f * power_of_two(kUnit);
  x = fminf(1.f, fmaxf(-1.f, x));
  const float x2 = x * x;
  float p = fmaf(x2, c / 9.f, -c * 4.f / 7.f);
  p = fmaf(x2, p, c * 6.f / 5.f);
  p = fmaf(x2, p, -c * 4.f / 3.f);
  p = fmaf(x2, p, c);
  return x * p;
}

// The weights along an axis; `edge` is the first pixel's far edge, seen from the center, over the
// support. The kernel ends within the outermost pixels, so that its sum is −½ before and ½ behind
// them. None is negative, whatever the rounding.
template <int kUnit, int kPixels>
__device__ void narrow_weights(float edge, float inverse, float (&weights)[kPixels]) {
  constexpr float half = 0.5f * power_of_two(kUnit);
  float before = -half;
#pragma unroll
  for (int k = 0; k < kPixels - 1; ++k) {
    const float after = narrow_cumulative<kUnit>(fmaf(float(k), inverse, edge));
    weights[k] = __saturatef(after - before);
    before = after;
  }
  weights[kPixels - 1] = __saturatef(half - before);
}

struct UnpackedSplat {
  // The first pixel's far edge along each axis, seen from the center, and the width of a pixel,
  // over the support.
  float edge[2], inverse;
  float light[3];
};

template <int kPixels>
__device__ UnpackedSplat unpack(const NarrowSplat& s) {
  using namespace narrow_code;
  const unsigned* const w = s.words;
  const float inverse =
      (__uint_as_float((w[1] & kInverseMask) | kMagicBits) - kMagic) * (1 / kInverse);
  constexpr float kEdge = 1.5f - 0.5f * float(kPixels);
  const float x = from_code(w[0], kFractionMask, -1 / kFraction, kEdge);
  const float y = from_code(w[1] >> 14, kFractionMask, -1 / kFraction, kEdge);
  // What lies in the 12 lowest bits of light is of the next channel: less than a step.
  return {{x * inverse, y * inverse},
          inverse,
          {__uint_as_float(w[2]), __uint_as_float(__funnelshift_l(w[3], w[2], 20)),
           __uint_as_float(w[3] << 8)}};
}

// Draws a splat into a window, by one lane.
template <int kPixels, class Target>
__device__ void draw_narrow(const NarrowSplat& packed, int first, Target& target) {
  const UnpackedSplat s = unpack<kPixels>(packed);
  float columns[kPixels], rows[kPixels];
  narrow_weights<Target::kWeightUnit>(s.edge[0], s.inverse, columns);
  narrow_weights<0>(s.edge[1], s.inverse, rows);
  target.add(first, columns, rows, s.light);
}

// Draws a splat into the image, by four lanes that take a column each, and another where there are
// more than four: neighbors in a row, which then go to memory together. `lane` is from 0 to 3.
template <int kPixels>
__device__ void draw_by_four(const NarrowSplat& packed, int2 first, int lane,
                             const NarrowImage& image) {
  const UnpackedSplat s = unpack<kPixels>(packed);
  float rows[kPixels];
  narrow_weights<0>(s.edge[1], s.inverse, rows);
#pragma unroll
  for (int column = lane; column < kPixels; column += 4) {
    const float near = narrow_cumulative<0>(fmaf(float(column - 1), s.inverse, s.edge[0]));
    const float far = narrow_cumulative<0>(fmaf(float(column), s.inverse, s.edge[0]));
    const float weight = far - near;
    if (!(weight > 0) || unsigned(first.x + column) >= unsigned(image.width)) continue;
    const float r = weight * s.light[0], g = weight * s.light[1], b = weight * s.light[2];
    float4* pixel = image.row(first.y) + (first.x + column);
#pragma unroll
    for (int row = 0; row < kPixels; ++row) {
      if (rows[row] > 0 && unsigned(first.y + row) < unsigned(image.height))
        add_to_pixel(pixel, rows[row] * r, rows[row] * g, rows[row] * b);
      pixel += image.width;
    }
  }
}

// The waiting splats of a block of kThreads. To use: any number of times wait(), by whole warps and
// while there is room; then draw(), by all threads, and a barrier.
template <int kWaiting, int kThreads, class Target>
class NarrowSplats {
 public:
  // By all threads, before a barrier.
  __device__ void clear() {
    for (int k = int(threadIdx.x); k < kNarrowKeys; k += kThreads) counts_[k] = 0;
    if (threadIdx.x == 0) count_ = 0;
  }

  // Whether each warp may put up to 32 splats to wait, once.
  __device__ bool has_room() const {
    return __all_sync(~0u, *static_cast<const volatile unsigned*>(&count_) <= kWaiting - kThreads);
  }

  // Appends the splats of the lanes of a warp that have one.
  __device__ void wait(bool mine, const PlacedSplat& s) {
    const unsigned mask = __ballot_sync(~0u, mine);
    const unsigned lane = threadIdx.x % 32;
    unsigned at = 0;
    if (lane == 0) at = atomicAdd(&count_, unsigned(__popc(mask)));
    at = __shfl_sync(~0u, at, 0) + unsigned(__popc(mask & ((1u << lane) - 1)));
    if (!mine) return;
    const unsigned key = unsigned(s.size * kBanks) | (unsigned(s.x) % kBanks);
    splats_[at] = s.splat;
    if (Target::kFar) places_[at] = {s.x, s.y};
    keys_[at] = key | atomicAdd(&counts_[key], 1u) * kNarrowKeys;
  }

  // Draws all that wait, after a barrier, and meets at another one on the way.
  __device__ void draw(Target& target) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // Each warp finds out alone where the keys begin: quicker than to wait for one that does.
    const uint4 own = reinterpret_cast<const uint4*>(counts_)[lane];
    const unsigned sum = own.x + own.y + own.z + own.w;
    unsigned up_to = sum;
#pragma unroll
    for (unsigned apart = 1; apart < 32; apart *= 2) {
      const unsigned other = __shfl_up_sync(~0u, up_to, apart);
      if (lane >= apart) up_to += other;
    }
    const unsigned n = __shfl_sync(~0u, up_to, 31);
    const unsigned begin = up_to - sum;
    static_assert(kWaiting < 1 << 16);
    const unsigned begins[2] = {begin | (begin + own.x) << 16,
                                (begin + own.x + own.y) | (begin + own.x + own.y + own.z) << 16};
    for (unsigned some = 32 * warp; some < n; some += kThreads) {
      const unsigned k = some + lane;
      const unsigned key = k < n ? keys_[k] : 0;
      const int holder = int(key % kNarrowKeys / 4);
      const unsigned low = __shfl_sync(~0u, begins[0], holder);
      const unsigned high = __shfl_sync(~0u, begins[1], holder);
      const unsigned both = key & 2 ? high : low;
      const unsigned at = (key & 1 ? both >> 16 : both & 0xffffu) + key / kNarrowKeys;
      if (k < n) order_[at] = (unsigned short)(k);
    }
    __syncthreads();
    clear();
    // The largest first, as they take longest.
    int turn = int(warp);
    const auto begin_of = [&](int pixels) {
      return __shfl_sync(~0u, begin, (pixels - kLeastPixels) * (kBanks / 4));
    };
    const unsigned begin4 = begin_of(4), begin5 = begin_of(5), begin6 = begin_of(6);
    turn = draw_size<6>(target, begin6, n, turn);
    turn = draw_size<5>(target, begin5, begin6, turn);
    turn = draw_size<4>(target, begin4, begin5, turn);
    draw_size<3>(target, 0, begin4, turn);
  }

 private:
  static constexpr int kWarps = kThreads / 32;
  static_assert(kNarrowKeys == 4 * 32);

  // Draws the splats of a size, of which the warp takes every kWarps-th lot from `turn` on. Returns
  // its turn among those of the next size.
  template <int kPixels>
  __device__ int draw_size(Target& target, unsigned first, unsigned end, int turn) {
    const unsigned lane = threadIdx.x % 32;
    constexpr unsigned kAtOnce = Target::kFar ? 8 : 32;
    const int rounds = int((end - first + kAtOnce - 1) / kAtOnce);
    for (; turn < rounds; turn += kWarps) {
      unsigned at = first;
      if constexpr (Target::kFar)
        at += unsigned(turn) * kAtOnce + lane / 4;
      else
        at += lane * unsigned(rounds) + unsigned(turn);
      if (at >= end) continue;
      const unsigned k = order_[at];
      const NarrowSplat splat = splats_[k];
      if constexpr (Target::kFar)
        draw_by_four<kPixels>(splat, places_[k], int(lane % 4), target);
      else
        draw_narrow<kPixels>(splat, int(splat.words[0] >> 18), target);
    }
    return turn - rounds;
  }

  NarrowSplat splats_[kWaiting];
  unsigned counts_[kNarrowKeys];
  unsigned keys_[kWaiting];  // size and bank, and above them the number among those of the same
  int2 places_[Target::kFar ? kWaiting : 1];
  unsigned short order_[kWaiting];  // by size and bank
  unsigned count_;
};

}  // namespace haloscope::compute::splotch
