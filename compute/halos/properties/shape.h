#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace haloscope::compute::halos {

// Eigenvalues, descending, of the symmetric matrix xx, yy, zz, xy, yz, zx: Smith 1961's
// trigonometric solution of the characteristic equation. Good to about 1e-8 of the largest where
// eigenvalues nearly agree.
inline std::array<double, 3> eigenvalues(const std::array<double, 6>& s) {
  const double mean = (s[0] + s[1] + s[2]) / 3;
  const double off = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
  const double x = s[0] - mean, y = s[1] - mean, z = s[2] - mean;
  const double p = std::sqrt((x * x + y * y + z * z + 2 * off) / 6);
  if (!(p > 0)) return {mean, mean, mean};
  const double determinant =
      x * (y * z - s[4] * s[4]) - s[3] * (s[3] * z - s[4] * s[5]) + s[5] * (s[3] * s[4] - y * s[5]);
  const double angle = std::acos(std::clamp(determinant / (2 * p * p * p), -1.0, 1.0)) / 3;
  const double third = 2 * std::acos(-1.0) / 3;
  const double largest = mean + 2 * p * std::cos(angle);
  const double smallest = mean + 2 * p * std::cos(angle + third);
  return {largest, 3 * mean - largest - smallest, smallest};
}

// b/a and c/a of the ellipsoid whose second moments the matrix has; 0 of what has no extent.
inline std::array<double, 2> axis_ratios(const std::array<double, 6>& moments) {
  const auto e = eigenvalues(moments);
  if (!(e[0] > 0)) return {0, 0};
  return {std::sqrt(std::max(e[1], 0.0) / e[0]), std::sqrt(std::max(e[2], 0.0) / e[0])};
}

}  // namespace haloscope::compute::halos
