#pragma once

#include "compute/splotch/kernel_profile.h"
#include "compute/splotch/map_sum.h"

// FluxProfile's kernels for maps, in double. A weight is made of what depends on the pixel's column
// and what depends on its row. Both executors, and the CPU's SIMD, evaluate these expressions and
// no others: files that do are compiled without fused multiply-adds, so that all round alike.
namespace haloscope::compute::splotch {

// (1 − d²/H²)⁴ at the pixel's center; `scale` makes it a kernel of sum 1.
struct MapDisc {
  double inverse_r2;

  HALOSCOPE_HD explicit MapDisc(float radius) : inverse_r2(1 / (double(radius) * double(radius))) {}
  HALOSCOPE_HD double scale() const { return 1.5915494309189535 * inverse_r2; }  // 5/(πH²)
  HALOSCOPE_HD double column(double dx) const { return dx * dx * inverse_r2; }
  HALOSCOPE_HD double row(double dy) const { return 1 - dy * dy * inverse_r2; }
  HALOSCOPE_HD static double weight(double column, double row) {
    double q = row - column;
    q = q > 0 ? q : 0.;
    q *= q;
    return q * q;
  }
};

// The separable kernel integrated over the pixel: its weights telescope to 1.
struct MapBox {
  double inverse;

  HALOSCOPE_HD explicit MapBox(float radius)
      : inverse(1 / (double(FluxProfile::kSupportRatio) * double(radius))) {}
  HALOSCOPE_HD static double scale() { return 1; }
  HALOSCOPE_HD double column(double dx) const { return axis(dx); }
  HALOSCOPE_HD double row(double dy) const { return axis(dy); }
  HALOSCOPE_HD static double weight(double column, double row) { return column * row; }

  // FluxProfile::half_cumulative.
  HALOSCOPE_HD static double half_cumulative(double x) {
    x = x < -1 ? -1. : x;
    x = x > 1 ? 1. : x;
    const double x2 = x * x;
    constexpr double c = 315. / 256;
    double p = x2 * (c / 9) - c * 4 / 7;
    p = x2 * p + c * 6 / 5;
    p = x2 * p - c * 4 / 3;
    p = x2 * p + c;
    return x * p;
  }

 private:
  HALOSCOPE_HD double axis(double d) const {
    return half_cumulative((d + 0.5) * inverse) - half_cumulative((d - 0.5) * inverse);
  }
};

// The sum of a disc's weights over all pixels, by which a map's splats are divided: 1 where it is
// that by itself, to 1.2e-7. Summed in whole numbers, so in any order.
HALOSCOPE_HD inline float sampled_sum(float fx, float fy, float radius) {
  constexpr float kConservesByItself = 16.f;
  constexpr double kUnits = 17592186044416.;  // 2⁴⁴
  if (FluxProfile::integrated(radius) || radius > kConservesByItself) return 1.f;
  const MapDisc disc(radius);
  const int reach = int(radius) + 1;
  std::int64_t sum = 0;
  for (int j = -reach; j <= reach; ++j) {
    const double row = disc.row(double(j) - double(fy));
    for (int i = -reach; i <= reach; ++i)
      sum += rounded(MapDisc::weight(disc.column(double(i) - double(fx)), row) * kUnits);
  }
  return float(double(sum) / kUnits * disc.scale());
}

}  // namespace haloscope::compute::splotch
