#pragma once

#include "core/host_device.h"

#include <cstddef>
#include <vector>

// What an infinite lattice of images adds to the potential of one point mass: Hernquist, Bouchet
// and Suto 1991, eq. 2.14b. Lengths are sides of the box, G = 1, mass 1.
namespace haloscope::compute::gravity {

// A value and its derivatives of first, second and third order: 1, x, y, z, xx, xy, xz, yy, yz, zz,
// xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz.
inline constexpr int kDerivatives = 20;

template <class T>
struct alignas(16) Derivatives {
  T value[kDerivatives];
};

// ψ(d) = φ(d) + 1 / |d|: the potential at d from a mass, from all its images, and from a background
// that takes their mean density away, without the mass itself. Smooth but for the other images.
Derivatives<double> ewald_correction(double x, double y, double z);

// ψ at d from its derivatives at the nearest of the points of a grid. ψ is even in each axis, so
// that the grid has one octant. Its reach is more than half a box: a body's image is chosen with
// its cell, and for a group of bodies at once.
struct EwaldView {
  static constexpr int kPerBox = 32, kSide = 25;  // points along an edge: up to 24/32 of the box

  const Derivatives<float>* grid = nullptr;

  HALOSCOPE_HD Derivatives<float> at(float x, float y, float z) const;
};

// Made once in a process: 15625 points.
const std::vector<Derivatives<float>>& ewald_grid();

// The polynomial of third order around another point, from `from` by d; derivatives of higher
// order are lost.
HALOSCOPE_HD inline Derivatives<float> moved(const Derivatives<float>& from, float x, float y,
                                             float z) {
  const float* const f = from.value;
  Derivatives<float> to;
  float* const t = to.value;
  for (int k = 10; k < kDerivatives; ++k) t[k] = f[k];
  t[4] = f[4] + x * f[10] + y * f[11] + z * f[12];
  t[5] = f[5] + x * f[11] + y * f[13] + z * f[14];
  t[6] = f[6] + x * f[12] + y * f[14] + z * f[15];
  t[7] = f[7] + x * f[13] + y * f[16] + z * f[17];
  t[8] = f[8] + x * f[14] + y * f[17] + z * f[18];
  t[9] = f[9] + x * f[15] + y * f[18] + z * f[19];
  // A derivative's Taylor series to second order: the half of what second derivatives gain.
  t[1] = f[1] + 0.5f * (x * (f[4] + t[4]) + y * (f[5] + t[5]) + z * (f[6] + t[6]));
  t[2] = f[2] + 0.5f * (x * (f[5] + t[5]) + y * (f[7] + t[7]) + z * (f[8] + t[8]));
  t[3] = f[3] + 0.5f * (x * (f[6] + t[6]) + y * (f[8] + t[8]) + z * (f[9] + t[9]));
  // x·∇f + ½ x·∇∇f·x + ⅙ ∇∇∇f·xxx, by what the sums above hold of it.
  const float first = x * f[1] + y * f[2] + z * f[3];
  const float second =
      x * (x * f[4] + 2 * (y * f[5] + z * f[6])) + y * (y * f[7] + 2 * z * f[8]) + z * z * f[9];
  const float moved_second =
      x * (x * t[4] + 2 * (y * t[5] + z * t[6])) + y * (y * t[7] + 2 * z * t[8]) + z * z * t[9];
  t[0] = f[0] + first + 0.5f * second + (1 / 6.f) * (moved_second - second);
  return to;
}

HALOSCOPE_HD inline Derivatives<float> EwaldView::at(float x, float y, float z) const {
  const float ax = x < 0 ? -x : x, ay = y < 0 ? -y : y, az = z < 0 ? -z : z;
  int i = int(ax * kPerBox + 0.5f), j = int(ay * kPerBox + 0.5f), k = int(az * kPerBox + 0.5f);
  i = i < kSide ? i : kSide - 1;
  j = j < kSide ? j : kSide - 1;
  k = k < kSide ? k : kSide - 1;
  constexpr float kStep = 1.f / kPerBox;
  Derivatives<float> d =
      moved(grid[(std::size_t(i) * kSide + std::size_t(j)) * kSide + std::size_t(k)],
            ax - kStep * float(i), ay - kStep * float(j), az - kStep * float(k));
  // Odd in an axis are derivatives that take it an odd number of times.
  const float sx = x < 0 ? -1.f : 1.f, sy = y < 0 ? -1.f : 1.f, sz = z < 0 ? -1.f : 1.f;
  float* const v = d.value;
  v[1] *= sx, v[2] *= sy, v[3] *= sz;
  v[5] *= sx * sy, v[6] *= sx * sz, v[8] *= sy * sz;
  v[10] *= sx, v[11] *= sy, v[12] *= sz, v[13] *= sx, v[14] *= sx * sy * sz, v[15] *= sx;
  v[16] *= sy, v[17] *= sz, v[18] *= sy, v[19] *= sz;
  return d;
}

}  // namespace haloscope::compute::gravity
