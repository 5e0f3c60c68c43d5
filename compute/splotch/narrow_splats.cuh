#pragma once

#include "compute/splotch/kernel_profile.h"

#include <cuda_runtime.h>

#include <cstddef>

// Splats of 2 to 6 pixels along an axis, which wait in shared memory until a block has many of
// them, and are then drawn into its window, a splat a lane.
//
// Additions in shared memory are what such a block does most of the time. 32 additions to as many
// banks take one cycle (an H200), those that meet in a bank one each: 3.6 cycles where the banks
// are random. So the splats are sorted by the bank of their first pixel, and the lanes of a warp
// take splats that are a 32nd of the list apart. As all lanes walk their pixels in one order, their
// banks differ all the way: 1.7 to 2 cycles for 300 to 2000 splats of one size.
namespace haloscope::compute::splotch {

// Shared memory of a multiprocessor of compute 9.0, of which each block takes 1 KB besides its own.
// Where there is less, fewer blocks run at once.
inline constexpr std::size_t kMemoryOfMultiprocessor = 228 * 1024, kMemoryOfBlock = 1024;

// A kernel by how many pixels its splats touch along an axis. A splat's size is the larger number
// of its columns and its rows, which differ by one at most: the more sizes, the fewer splats of one
// size wait together, and the more lanes have none.
template <int kLeastPixels, int kMostPixels, int kFirstSize>
struct NarrowKernel {
  static constexpr int kLeast = kLeastPixels, kMost = kMostPixels;
  static constexpr int kBehind = kFirstSize + kMost - kLeast + 1;

  __host__ __device__ static constexpr int size(int pixels) { return kFirstSize + pixels - kLeast; }
};
using IntegratedKernel = NarrowKernel<2, 6, 0>;
using RadialKernel = NarrowKernel<5, 6, IntegratedKernel::kBehind>;

// Splats up to this radius may wait.
inline constexpr float kNarrowRadius = 3;
inline constexpr int kNarrowSizes = RadialKernel::kBehind;
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

// The brightest splat in units of a window that takes so many: their sum stays below 2³⁰, and one
// splat below 2²².
__device__ inline float brightest_units(unsigned splats) {
  return fminf(float(1 << 21), float(1 << 30) / float(splats));
}

// Where splats are drawn: a piece of the image in shared memory, one word per channel. Each splat
// is rounded to 2⁻¹⁷ of the brightest that the window may take, or finer where it takes few.
template <int kWindowSide>
struct NarrowWindow {
  static constexpr int kSide = kWindowSide, kPlane = kSide * kSide;
  static_assert(kPlane <= 1 << 14);  // a splat's first pixel has no more bits
  static constexpr float kWidest = kNarrowRadius;
  static constexpr int kWeightUnit = IntegerProduct::kWeightUnit;
  static constexpr int kLightUnit = IntegerProduct::kLightUnit;
  int sum[3][kPlane];

  __device__ void add_one(int x, int y, float r, float g, float b) {
    const int at = max(min(y * kSide + x, kPlane - 1), 0);
    atomicAdd(&sum[0][at], __float2int_rn(r));
    atomicAdd(&sum[1][at], __float2int_rn(g));
    atomicAdd(&sum[2][at], __float2int_rn(b));
  }
};

// A splat that waits, in one 16-byte word: first pixel (14 bits), how far its first column and row
// lie within its support (18 bits each), 1 over its support (14), light by channel (20, 20, 24).
// The support of the radial kernel is its radius.
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
__device__ inline float from_code(unsigned bits, unsigned mask, float step) {
  return (__uint_as_float((bits & mask) | kMagicBits) - kMagic) * step;
}
}  // namespace narrow_code

struct PlacedSplat {
  NarrowSplat splat;
  int size;
  unsigned first;  // pixel, in the window
};

// The pixels that a splat touches along an axis.
struct NarrowSpan {
  int first, count;
  float within;  // pixels from the support's near edge to the first pixel's far edge, or its center
};

// `offset` is from the center of pixel `pixel` to the splat's. The integrated kernel touches a
// pixel where its support reaches beyond the pixel's edge, the radial one where it reaches the
// center.
__device__ inline NarrowSpan narrow_span(int pixel, float offset, float support, bool radial) {
  const float edge = (offset - support) + (radial ? 1.f : 0.5f);
  const float first = floorf(edge);
  const float within = 1.f - (edge - first);
  const int count = int(ceilf((support + support) - within)) + (radial ? 0 : 1);
  return {pixel + int(first), count, within};
}

// The light of a splat by channel, in 64 bits: the sign, the exponent and 11, 11 and `kBlueBits` −
// 9 bits of the fraction. What is left of 24 bits of blue is 0.
template <int kBlueBits>
__device__ void pack_light(NarrowSplat& s, float red, float green, float blue) {
  constexpr unsigned kBlueUnit = 1u << (32 - kBlueBits);
  const unsigned r = __float_as_uint(red) + 0x800u;
  const unsigned g = __float_as_uint(green) + 0x800u;
  const unsigned b = (__float_as_uint(blue) + kBlueUnit / 2) & ~(kBlueUnit - 1);
  s.words[2] = (r & 0xfffff000u) | g >> 20;
  s.words[3] = (g << 12 & 0xff000000u) | b >> 8;
}

// Packs all but the light of a splat whose center lies `fx`, `fy` from the center of pixel (ix,
// iy), half a pixel at most. Its radius is between kSmallRadius and Target::kWidest.
template <class Target>
__device__ PlacedSplat place_narrow(int ix, int iy, float fx, float fy, float radius) {
  using namespace narrow_code;
  const bool radial = !FluxProfile::integrated(radius);
  // The support that the code tells: else the center, which is told from the support's edge, would
  // move.
  const unsigned inverse =
      to_code(__fdividef(1.f, radial ? radius : FluxProfile::kSupportRatio * radius), kInverse,
              kInverseMask);
  const float support = __fdividef(1.f, from_code(inverse, kInverseMask, 1 / kInverse));
  const NarrowSpan columns = narrow_span(ix, fx, support, radial);
  const NarrowSpan rows = narrow_span(iy, fy, support, radial);
  PlacedSplat out;
  int pixels = max(columns.count, rows.count);
  pixels = radial ? min(max(pixels, RadialKernel::kLeast), RadialKernel::kMost)
                  : min(max(pixels, IntegratedKernel::kLeast), IntegratedKernel::kMost);
  out.size = radial ? RadialKernel::size(pixels) : IntegratedKernel::size(pixels);
  // The bounds of a run hold its splats' pixels; should rounding ever prove them wrong, no memory
  // beside the window is touched.
  constexpr int kSide = Target::kSide, kLast = Target::kPlane - 1;
  const int farthest = kLast - (pixels - 1) * (kSide + 1);
  out.first = unsigned(max(min(rows.first * kSide + columns.first, farthest), 0));
  const unsigned x = to_code(columns.within, kFraction, kFractionMask);
  const unsigned y = to_code(rows.within, kFraction, kFractionMask);
  out.splat.words[0] = out.first << 18 | x;
  out.splat.words[1] = y << 14 | inverse;
  return out;
}

// The same with its light, in the window's units.
template <class Target>
__device__ PlacedSplat to_narrow(int ix, int iy, float fx, float fy, float radius,
                                 const float light[3]) {
  constexpr float unit = power_of_two(Target::kLightUnit);
  PlacedSplat out = place_narrow<Target>(ix, iy, fx, fy, radius);
  pack_light<24>(out.splat, light[0] * unit, light[1] * unit, light[2] * unit);
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
// support. The kernel ends within the outermost pixels or before the last one, so that its sum is
// −½ before and ½ behind them. None is negative, whatever the rounding.
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
  // The first pixel's far edge, or of the radial kernel its center, along each axis, and the width
  // of a pixel: from the splat's center, over the support.
  float edge[2], inverse;
  float light[3];
};

template <int kBlueBits>
__device__ void unpack_light(const NarrowSplat& s, float (&light)[3]) {
  constexpr unsigned kMask = 0xfffff000;  // below are bits of the next channel
  const unsigned* const w = s.words;
  light[0] = __uint_as_float(w[2] & kMask);
  light[1] = __uint_as_float(__funnelshift_l(w[3], w[2], 20) & kMask);
  light[2] = __uint_as_float(w[3] << 8 & ~((1u << (32 - kBlueBits)) - 1));
}

__device__ inline UnpackedSplat unpack(const NarrowSplat& s) {
  using namespace narrow_code;
  const unsigned* const w = s.words;
  const float inverse = from_code(w[1], kInverseMask, 1 / kInverse);
  const float x = from_code(w[0], kFractionMask, 1 / kFraction);
  const float y = from_code(w[1] >> 14, kFractionMask, 1 / kFraction);
  UnpackedSplat out{{fmaf(x, inverse, -1.f), fmaf(y, inverse, -1.f)}, inverse, {}};
  unpack_light<24>(s, out.light);
  return out;
}

// Adds one row of a splat to the pixels from `row` on; product(column, c) is an IntegerProduct.
template <int kPixels, int kPlane, class F>
__device__ void add_row(int* row, const F& product) {
#pragma unroll
  for (int c = 0; c < 3; ++c)
#pragma unroll
    for (int column = 0; column < kPixels; ++column)
      atomicAdd(row + c * kPlane + column, product(column, c));
}

// Draw a splat into a window, by one lane.
template <int kPixels, class Target>
__device__ void draw_integrated(const NarrowSplat& packed, Target& target) {
  const UnpackedSplat s = unpack(packed);
  float columns[kPixels], rows[kPixels];
  narrow_weights<Target::kWeightUnit>(s.edge[0], s.inverse, columns);
  narrow_weights<0>(s.edge[1], s.inverse, rows);
  int* const first = &target.sum[0][packed.words[0] >> 18];
#pragma unroll
  for (int row = 0; row < kPixels; ++row) {
    const float light[3] = {rows[row] * s.light[0], rows[row] * s.light[1], rows[row] * s.light[2]};
    add_row<kPixels, Target::kPlane>(first + row * Target::kSide, [&](int column, int c) {
      return IntegerProduct::of(columns[column], light[c]);
    });
  }
}

// Rows are a loop here: the instructions of all of them, for each size, would be more than a
// multiprocessor keeps at hand.
template <int kPixels, class Target>
__device__ void draw_radial(const NarrowSplat& packed, Target& target) {
  const UnpackedSplat s = unpack(packed);
  constexpr float unit = power_of_two(Target::kWeightUnit);
  const float peak = s.inverse * s.inverse * 1.59154943f;  // 5/π
  const float light[3] = {s.light[0] * peak, s.light[1] * peak, s.light[2] * peak};
  float columns[kPixels], y = s.edge[1];
#pragma unroll
  for (int column = 0; column < kPixels; ++column) {
    const float x = fmaf(float(column), s.inverse, s.edge[0]);
    columns[column] = fmaf(-x, x, 1.f);
  }
  int* row = &target.sum[0][packed.words[0] >> 18];
#pragma unroll 1
  for (int k = 0; k < kPixels; ++k) {
    float weights[kPixels];
#pragma unroll
    for (int column = 0; column < kPixels; ++column) {
      const float q = __saturatef(fmaf(-y, y, columns[column]));
      const float q2 = q * q;
      weights[column] = q2 * (q2 * unit);
    }
    add_row<kPixels, Target::kPlane>(
        row, [&](int column, int c) { return IntegerProduct::of(weights[column], light[c]); });
    y += s.inverse;
    row += Target::kSide;
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
    const unsigned key = unsigned(s.size * kBanks) | s.first % kBanks;
    splats_[at] = s.splat;
    keys_[at] = key | atomicAdd(&counts_[key], 1u) * kSlots;
  }

  // Draws all that wait, after a barrier, and meets at two more on the way.
  __device__ void draw(Target& target) {
    const unsigned n = count_;
    if (threadIdx.x < 32) find_begins();
    __syncthreads();
    for (unsigned k = threadIdx.x; k < n; k += kThreads) {
      const unsigned key = keys_[k];
      order_[begins_[key % kSlots] + key / kSlots] = (unsigned short)(k);
    }
    __syncthreads();
    clear();
    // The largest first, as they take longest.
    Lots lots{int(threadIdx.x / 32), 0};
    draw_radial_sizes<RadialKernel::kMost>(target, lots);
    draw_integrated_sizes<IntegratedKernel::kMost>(target, lots);
  }

 private:
  static constexpr int kWarps = kThreads / 32;
  static constexpr unsigned kSlots = 512;  // a power of two above the keys
  static_assert(kNarrowKeys <= kSlots && kWaiting < 1 << 16);

  // Sums the counts of the keys before each, by one warp: a lane takes kNarrowSizes keys.
  __device__ void find_begins() {
    const unsigned lane = threadIdx.x % 32;
    unsigned counts[kNarrowSizes], sum = 0;
#pragma unroll
    for (int k = 0; k < kNarrowSizes; ++k) {
      counts[k] = counts_[lane * kNarrowSizes + unsigned(k)];
      sum += counts[k];
    }
    unsigned up_to = sum;
#pragma unroll
    for (unsigned apart = 1; apart < 32; apart *= 2) {
      const unsigned other = __shfl_up_sync(~0u, up_to, apart);
      if (lane >= apart) up_to += other;
    }
    unsigned begin = up_to - sum;
#pragma unroll
    for (int k = 0; k < kNarrowSizes; ++k) {
      begins_[lane * kNarrowSizes + unsigned(k)] = (unsigned short)(begin);
      begin += counts[k];
    }
    if (lane == 0) lots_ = kWarps;
    if (lane == 31) begins_[kNarrowKeys] = (unsigned short)(begin);
  }

  // The lot that a warp draws, and how many there are of the sizes before. Warps take them as they
  // have time: those of large splats take several times as long.
  struct Lots {
    int own, before;
  };

  // Draw the splats of up to kPixels.
  template <int kPixels>
  __device__ void draw_radial_sizes(Target& target, Lots& lots) {
    for_each_of(RadialKernel::size(kPixels), lots,
                [&](unsigned k) { draw_radial<kPixels>(splats_[k], target); });
    if constexpr (kPixels > RadialKernel::kLeast) draw_radial_sizes<kPixels - 1>(target, lots);
  }
  template <int kPixels>
  __device__ void draw_integrated_sizes(Target& target, Lots& lots) {
    for_each_of(IntegratedKernel::size(kPixels), lots,
                [&](unsigned k) { draw_integrated<kPixels>(splats_[k], target); });
    if constexpr (kPixels > IntegratedKernel::kLeast)
      draw_integrated_sizes<kPixels - 1>(target, lots);
  }

  // Calls f(k) for the splats of a size, lot after lot, as long as the warp's own is one of them.
  template <class F>
  __device__ void for_each_of(int size, Lots& lots, const F& f) {
    const unsigned first = begins_[size * kBanks], end = begins_[(size + 1) * kBanks];
    const unsigned lane = threadIdx.x % 32;
    const int rounds = int((end - first + 31) / 32);
    while (lots.own - lots.before < rounds) {
      const auto turn = unsigned(lots.own - lots.before);
      int next = 0;
      if (lane == 0) next = atomicAdd(&lots_, 1);
      const unsigned at = first + lane * unsigned(rounds) + turn;
      if (at < end) f(order_[at]);
      lots.own = __shfl_sync(~0u, next, 0);
    }
    lots.before += rounds;
  }

  NarrowSplat splats_[kWaiting];
  unsigned counts_[kNarrowKeys];
  unsigned keys_[kWaiting];  // size and bank, and above them the number among those of the same
  unsigned short begins_[kNarrowKeys + 1];
  unsigned short order_[kWaiting];  // by size and bank
  unsigned count_;
  int lots_;  // that warps have taken
};

}  // namespace haloscope::compute::splotch
