#pragma once

#include "compute/spatial/block_tree.inl"

// Distances in float32 that decide what need not be measured exactly. Whole numbers of 64 bits cost
// an SM several times as much as float32 numbers do.
//
// Places are taken relative to an origin that is near them: the difference in lattice steps, exact
// in 32 bits, rounded to float32. A place is then off by 2⁻²⁴ of its distance from the origin, its
// reach, and a difference of two places by thrice that, its own rounding included. The margins
// below are larger: an axis is off by 2⁻²² of the larger reach at most, so that three to eight axes
// are by 2⁻²⁰ together; the root, squares and sums add 2⁻²⁰ of the distance itself.
namespace haloscope::compute::spatial {

// Of places so far from the origin that differences of two may wrap, as between halves of a
// periodic box: they are measured exactly.
inline constexpr float kWraps = 0x1p126f;
inline constexpr float kReachMargin = 0x1p-20f, kLengthMargin = 1 + 0x1p-20f;

// The square of what float32 makes of no distance up to `length`, which has its own margin already.
__device__ inline float with_margin(float length, float reach) {
  const float most = fmaf(reach, kReachMargin, length);
  return most * most;
}

// A length that is no smaller than the root.
__device__ inline float length_with_margin(std::uint64_t squared) {
  return __fsqrt_ru(__ull2float_ru(squared)) * kLengthMargin;
}

// How far a place is along an axis whose steps are 2^shift lattice steps.
__device__ inline float reach_along(float at, std::uint32_t shift) {
  const float length = fabsf(at);
  return length < __uint_as_float((127 + 30 - shift) << 23) ? length : kWraps;
}

template <int D>
struct RelativePoint {
  float at[D];
  __device__ RelativePoint() {}
  __device__ RelativePoint(const LatticePoint<D>& p, const LatticePoint<D>& origin) {
    for (int a = 0; a < D; ++a)
      at[a] = float(std::int32_t(p.at[a] - origin.at[a]) >> origin.shift(a));
  }
  __device__ float reach(const LatticePoint<D>& origin) const {
    float most = 0;
    for (int a = 0; a < D; ++a) most = fmaxf(most, reach_along(at[a], origin.shift(a)));
    return most;
  }
};

template <int D>
struct RelativeBox {
  float low[D], high[D];
  __device__ RelativeBox() {}
  __device__ RelativeBox(const LatticeBox<D>& box, const LatticePoint<D>& origin) {
    for (int a = 0; a < D; ++a) {
      const auto from = std::int32_t(box.low[a] - origin.at[a]);
      const auto to = std::int32_t(box.high[a] - origin.at[a]);
      // A box around the origin's far side has its high end before its low one. Rounded, both may
      // be one number, so that this must be seen here.
      low[a] = to < from ? kWraps : float(from >> origin.shift(a));
      high[a] = float(to >> origin.shift(a));
    }
  }
  __device__ float reach(const LatticePoint<D>& origin) const {
    float most = 0;
    for (int a = 0; a < D; ++a) {
      const float along =
          fmaxf(reach_along(low[a], origin.shift(a)), reach_along(high[a], origin.shift(a)));
      most = fmaxf(most, along);
    }
    return most;
  }
};

template <int D>
__device__ float squared_between(const RelativePoint<D>& p, const RelativePoint<D>& q) {
  float sum = 0;
  for (int a = 0; a < D; ++a) {
    const float d = p.at[a] - q.at[a];
    sum = fmaf(d, d, sum);
  }
  return sum;
}

template <int D>
__device__ float squared_between(const RelativePoint<D>& p, const RelativeBox<D>& box) {
  float sum = 0;
  for (int a = 0; a < D; ++a) {
    const float gap = fmaxf(fmaxf(box.low[a] - p.at[a], p.at[a] - box.high[a]), 0.f);
    sum = fmaf(gap, gap, sum);
  }
  return sum;
}

template <int D>
__device__ float squared_between(const RelativeBox<D>& p, const RelativeBox<D>& q) {
  float sum = 0;
  for (int a = 0; a < D; ++a) {
    const float gap = fmaxf(fmaxf(q.low[a] - p.high[a], p.low[a] - q.high[a]), 0.f);
    sum = fmaf(gap, gap, sum);
  }
  return sum;
}

}  // namespace haloscope::compute::spatial
