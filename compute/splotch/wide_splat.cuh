#pragma once

#include "compute/splotch/splat.h"

// Splats of the lists for the tile pass.
namespace haloscope::compute::splotch {

// Two 16-byte loads.
struct alignas(16) WideSplat {
  int ix, iy;
  float fx, fy;
  float radius;
  float emission[3];
};

// One 16-byte load, for pictures that need not be exact: the center is rounded to 2⁻¹⁰ pixels, the
// radius to 2⁻¹⁴ of itself and light to 2⁻¹⁶ of its brightest channel.
struct alignas(16) PackedSplat {
  unsigned words[4];
};

struct PackedRange {
  static constexpr int kBefore = 16384;  // pixels before the picture's first
  static constexpr int kFractionBits = 10;
  static constexpr unsigned kCenterMask = (1u << 26) - 1;
  static constexpr unsigned kLeastRadius = 125u << 13;    // ¼: a float's bits but for the last ten
  static constexpr int kLightBias = 64, kFaintest = -63;  // exponents
  // Between these, light that is not 0 keeps all its bits.
  static constexpr float kDimmest = 1.1e-19f, kBrightest = 1e18f;
  static constexpr int kWidest = 49000;  // pictures whose centers all fit
};

__device__ inline float brightest_channel(const float (&emission)[3]) {
  return fmaxf(fabsf(emission[0]), fmaxf(fabsf(emission[1]), fabsf(emission[2])));
}

__device__ inline bool can_pack(const Splat& s) {
  const auto near = [](int i) { return i > 1 - PackedRange::kBefore && i < PackedRange::kWidest; };
  const float light = brightest_channel(s.emission);
  return near(s.ix) && near(s.iy) && s.radius >= 0.25f && s.radius < 1e5f &&
         light < PackedRange::kBrightest && (light > PackedRange::kDimmest || light == 0);
}

__device__ inline PackedSplat pack(const Splat& s) {
  const auto center = [](int i, float f) {
    return unsigned(((i + PackedRange::kBefore) << PackedRange::kFractionBits) +
                    __float2int_rn(f * float(1 << PackedRange::kFractionBits)));
  };
  const unsigned radius =
      ((__float_as_uint(s.radius) + 512u) >> 10) - PackedRange::kLeastRadius;  // 18 bits
  const int exponent =
      max(int(__float_as_uint(brightest_channel(s.emission)) >> 23) - 127, PackedRange::kFaintest);
  const float scale = __uint_as_float(unsigned(127 + 15 - exponent) << 23);
  const auto light = [&](float e) {
    return unsigned(min(__float2int_rn(e * scale), 65535)) & 0x1ffffu;
  };
  const unsigned red = light(s.emission[0]), green = light(s.emission[1]),
                 blue = light(s.emission[2]);
  return {{center(s.ix, s.fx) | radius << 26, center(s.iy, s.fy) | (radius >> 6) << 26,
           red | green << 17,
           green >> 15 | blue << 2 | unsigned(exponent + PackedRange::kLightBias) << 19 |
               (radius >> 12) << 26}};
}

// Touches no pixel.
__device__ inline PackedSplat packed_nothing() {
  return {{1u << PackedRange::kFractionBits, 1u << PackedRange::kFractionBits, 0, 0}};
}

__device__ inline float radius_of(const PackedSplat& s) {
  const unsigned* const w = s.words;
  const unsigned code = w[0] >> 26 | (w[1] >> 26) << 6 | (w[3] >> 26) << 12;
  return __uint_as_float((code + PackedRange::kLeastRadius) << 10);
}

__device__ inline WideSplat unpacked(const PackedSplat& s) {
  const unsigned* const w = s.words;
  WideSplat out;
  const auto center = [](unsigned word, int& i, float& f) {
    constexpr int kHalf = 1 << (PackedRange::kFractionBits - 1);
    const int code = int(word & PackedRange::kCenterMask);
    i = (code + kHalf) >> PackedRange::kFractionBits;
    f = float(code - (i << PackedRange::kFractionBits)) *
        (1.f / float(1 << PackedRange::kFractionBits));
    i -= PackedRange::kBefore;
  };
  center(w[0], out.ix, out.fx);
  center(w[1], out.iy, out.fy);
  out.radius = radius_of(s);
  const float scale =
      __uint_as_float((w[3] >> 19 & 0x7fu) + 127u - 15u - PackedRange::kLightBias << 23);
  const auto light = [&](unsigned bits) { return float(int(bits << 15) >> 15) * scale; };
  out.emission[0] = light(w[2]);
  out.emission[1] = light(w[2] >> 17 | w[3] << 15);
  out.emission[2] = light(w[3] >> 2);
  return out;
}
__device__ inline const WideSplat& unpacked(const WideSplat& s) {
  return s;
}

// A list to which kernels append.
struct SplatList {
  void* splats;  // WideSplat, or PackedSplat where `packed`
  unsigned capacity;
  bool packed;
};

}  // namespace haloscope::compute::splotch
