#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Sums of splats as products of matrices. A splat whose kernel is a product of a function of x and
// one of y adds to its pixels what a column adds to a product: 16 splats are a product of a matrix
// of their factors along y and one of their factors along x times light, which tensor cores add in
// 32 bits. Factors have 16 bits: each is rounded by up to 2⁻¹¹ of itself.
namespace haloscope::compute::splotch {

inline constexpr int kPatch = 16;            // pixels along a side of what one product adds to
inline constexpr int kProductSplats = 16;    // of one product
inline constexpr int kLeastGeneration = 80;  // of a GPU, and of the code that it runs

// The radial kernel (1 − d²/R²)⁴ is close to u₁(x) u₁(y) − u₂(x) u₂(y). With
// t = 1 − (kNarrower d/R)² along an axis, u₁ = t⁴ (kFirst0 + kFirst1 t), and u₂ alike. Least
// largest error, 0.31 % of the peak, among such fits that keep the integral.
inline constexpr float kNarrower = 1.02f;
inline constexpr float kFirst0 = 0.55305525f, kFirst1 = 0.48838039f;
inline constexpr float kSecond0 = -2.23551694f, kSecond1 = 2.53156024f;

struct RadialFactors {
  __half2 first, second;
};

// u₁ and u₂ of two splats, each at one distance over R / kNarrower.
__device__ inline RadialFactors radial_factors(float d0, float d1) {
  const __half2 d = __floats2half2_rn(d0, d1);
  const __half2 t = __hmax2(__hfma2(__hneg2(d), d, __float2half2_rn(1.f)), __float2half2_rn(0.f));
  const __half2 t2 = __hmul2(t, t), t4 = __hmul2(t2, t2);
  return {__hmul2(t4, __hfma2(t, __float2half2_rn(kFirst1), __float2half2_rn(kFirst0))),
          __hmul2(t4, __hfma2(t, __float2half2_rn(kSecond1), __float2half2_rn(kSecond0)))};
}

__device__ inline unsigned half_bits(__half2 x) {
  return *reinterpret_cast<unsigned*>(&x);
}

// sum += rows · columns: the factors of 16 splats in 16 rows by those in 8 columns of pixels. Lane
// 4 g + j has four splats, the same for each g: two pairs. It gives pair p's factors of row g as
// rows[2 p], of row g + 8 as rows[2 p + 1] and of column g as column<p>, and gets the pixels
// (g, 2 j), (g, 2 j + 1), (g + 8, 2 j) and (g + 8, 2 j + 1).
__device__ inline void add_product(float (&sum)[4], const unsigned (&rows)[4], unsigned column0,
                                   unsigned column1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(column0), "r"(column1));
#elif defined(__CUDA_ARCH__)
  __trap();  // whoever calls asks first
#endif
}

}  // namespace haloscope::compute::splotch
