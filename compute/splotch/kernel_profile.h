#pragma once

#include "compute/splotch/settings.h"
#include "core/host_device.h"

#include <cmath>

// The shapes of a splat on the image. All lengths are pixels; dx, dy are from the splat's center to
// the pixel's.
namespace haloscope::compute::splotch {

// Particles up to this radius fall in one pixel (Rivi et al. 2014, §4: r_sml).
inline constexpr float kSmallRadius = 0.5f;

// Splotch's Gaussian exp(−d²/σ²), cut at w = 0.75 R where σ = ½ π^(−1/6) R (splotch-semantics §4):
// 1/σ² = kClassicFalloff / w².
inline constexpr double kClassicSigma = 0.41315374;  // ½ π^(−1/6)
inline constexpr double kClassicCut = 0.75;
inline constexpr float kClassicFalloff =
    float(kClassicCut * kClassicCut / (kClassicSigma * kClassicSigma));

struct ClassicProfile {
  // Pixels farther than this along an axis get nothing.
  HALOSCOPE_HD static float extent(float radius) { return radius; }

  HALOSCOPE_HD static float weight(float dx, float dy, float radius) {
    const float d2 = std::fma(dx, dx, dy * dy);
    const float r2 = radius * radius;
    return d2 < r2 ? std::exp(-d2 * (kClassicFalloff / r2)) : 0.f;
  }

  // What a particle of the small class leaves in the pixel nearest to it.
  HALOSCOPE_HD static float small_weight(float dx, float dy, float radius) {
    return weight(dx, dy, radius);
  }
};

// Flux-conserving: the weights of a splat sum to 1 wherever it falls and however small it is.
// - Up to kIntegratedRadius, a separable kernel ∝ (1 − x²)⁴(1 − y²)⁴ integrated over each pixel, so
//   that the sum over pixels telescopes to exactly 1. Its support is narrower by √(11/12), which
//   gives it the variance of the radial kernel.
// - Beyond, the radial kernel 5/(πH²) (1 − d²/H²)⁴ sampled at pixel centers: smooth at its edge, no
//   exponential, close to the projected cubic spline. By Poisson summation its sampled sum is
//   1 + 4Λ(2πH) + …, Λ(k) = 2⁵ 5! J₅(k)/k⁵: off by at most 0.2 % beyond H = 2.5 and 1e-5
//   beyond H = 7.
struct FluxProfile {
  static constexpr float kIntegratedRadius = 2.5f;
  static constexpr float kSupportRatio = 0.95742711f;  // √(11/12)

  HALOSCOPE_HD static bool integrated(float radius) { return radius <= kIntegratedRadius; }

  HALOSCOPE_HD static float extent(float radius) {
    return integrated(radius) ? std::fma(kSupportRatio, radius, 0.5f) : radius;
  }

  // ∫₀ˣ (1 − t²)⁴ dt over its whole range: odd, from −½ to ½.
  HALOSCOPE_HD static float half_cumulative(float x) {
    x = std::fmin(1.f, std::fmax(-1.f, x));
    const float x2 = x * x;
    constexpr float c = 315.f / 256.f;
    float p = std::fma(x2, c / 9.f, -c * 4.f / 7.f);
    p = std::fma(x2, p, c * 6.f / 5.f);
    p = std::fma(x2, p, -c * 4.f / 3.f);
    p = std::fma(x2, p, c);
    return x * p;
  }

  HALOSCOPE_HD static float integrated_axis(float d, float inverse_support) {
    return half_cumulative((d + 0.5f) * inverse_support) -
           half_cumulative((d - 0.5f) * inverse_support);
  }

  HALOSCOPE_HD static float radial(float d2, float inverse_r2) {
    const float q = std::fmax(0.f, std::fma(-d2, inverse_r2, 1.f));
    const float q2 = q * q;
    return q2 * q2 * (inverse_r2 * 1.59154943f);  // 5/π
  }

  HALOSCOPE_HD static float weight(float dx, float dy, float radius) {
    if (integrated(radius)) {
      const float inverse = 1.f / (kSupportRatio * radius);
      return integrated_axis(dx, inverse) * integrated_axis(dy, inverse);
    }
    return radial(std::fma(dx, dx, dy * dy), 1.f / (radius * radius));
  }

  HALOSCOPE_HD static float small_weight(float, float, float) { return 1.f; }
};

template <Mode M>
struct ProfileOf {
  using type = FluxProfile;
};
template <>
struct ProfileOf<Mode::Classic> {
  using type = ClassicProfile;
};
template <Mode M>
using Profile = typename ProfileOf<M>::type;

}  // namespace haloscope::compute::splotch
