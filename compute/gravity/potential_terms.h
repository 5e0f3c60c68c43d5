#pragma once

#include "compute/gravity/ewald.h"
#include "compute/gravity/softening.h"
#include "core/host_device.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

// What the sums of potentials of both executors add up. Masses are parts of the whole mass, so that
// no mass is too large for single precision. Lengths are units of 2²⁰ steps of the lattice, so that
// neither a step's fifth power nor the domain's leaves single precision.
namespace haloscope::compute::gravity {

inline constexpr double kUnitsPerStep = 1.0 / 1048576, kUnitsPerDomain = 4096;
inline constexpr float kAlwaysOpen = 3e38f;
// Bodies that walk the tree together: two for each lane of a warp.
inline constexpr std::uint32_t kGroupBodies = 64;

struct alignas(16) PotentialSource {
  std::uint32_t x, y, z;
  float mass;
};

struct alignas(32) PotentialCell {
  static constexpr std::uint32_t kLeaf = 1;
  // A leaf so large that each of its bodies has an image of its own.
  static constexpr std::uint32_t kLarge = 2;

  std::uint32_t x, y, z;  // center of mass
  float open2;            // square of the distance within which it is opened
  std::uint32_t first;    // child, or body
  std::uint32_t count;    // of children, or bodies
  float mass;
  std::uint32_t kind;
};

// Mass times the mean of d dᵀ from the center of mass: xx, xy, xz, yy, yz, zz.
struct alignas(32) CellSpread {
  float value[8];
};

// Consecutive bodies.
struct BodyGroup {
  std::uint32_t begin, count;
};

// a · b + c; fused where the machine does that, on either executor.
HALOSCOPE_HD inline float fused(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// A difference of coordinates as a float and what that leaves out: both together lose nothing.
struct Apart {
  float high, low;
};

// Where a group lies. Its middle is the origin of all that it sees.
struct GroupFrame {
  std::uint32_t origin[3];
  float half[3];  // of its extent
  // The bodies stand alone in a domain that is periodic: differences take 33 bits.
  bool wide;

  HALOSCOPE_HD std::int64_t steps(std::uint32_t coordinate, int axis) const {
    return wide ? std::int64_t(coordinate) - std::int64_t(origin[axis])
                : std::int64_t(std::int32_t(coordinate - origin[axis]));
  }
  HALOSCOPE_HD float near(std::uint32_t coordinate, int axis) const {
    return wide
               ? float(std::int64_t(coordinate) - std::int64_t(origin[axis])) * float(kUnitsPerStep)
               : float(std::int32_t(coordinate - origin[axis])) * float(kUnitsPerStep);
  }
  HALOSCOPE_HD Apart apart(std::uint32_t coordinate, int axis) const {
    const std::int64_t d = steps(coordinate, axis);
    const float high = float(d);
    return {high * float(kUnitsPerStep), float(d - std::int64_t(high)) * float(kUnitsPerStep)};
  }
  // From the extent in the lattice.
  HALOSCOPE_HD void place(const std::uint32_t (&low)[3], const std::uint32_t (&high)[3]) {
    for (int a = 0; a < 3; ++a) {
      origin[a] = low[a] + (high[a] - low[a]) / 2;
      half[a] = float(double(high[a] - origin[a]) * kUnitsPerStep * (1 + 1e-6));
    }
  }
  // Whether bodies of a cell no larger than a quarter of the box, whose center of mass is at `d`,
  // may have other images than that.
  HALOSCOPE_HD static bool is_torn(const float (&d)[3]) {
    constexpr auto kClear = float(kUnitsPerDomain / 4);
    return fabsf(d[0]) > kClear || fabsf(d[1]) > kClear || fabsf(d[2]) > kClear;
  }
  // Whether a cell whose center of mass is at `d` from the origin must be opened.
  HALOSCOPE_HD bool opens(const float (&d)[3], float open2) const {
    float squared = 0;
    for (int a = 0; a < 3; ++a) {
      const float away = fabsf(d[a]) - half[a];
      const float out = away > 0 ? away : 0.f;
      squared = fused(out, out, squared);
    }
    return !(squared > open2);
  }
};

// 3 d dᵀ − d² weighted by mass, over two: the quadrupole of a potential.
struct Quadrupole {
  float xx, xy, xz, yy, yz, zz;
};
HALOSCOPE_HD inline Quadrupole quadrupole_of(const CellSpread& s) {
  const float* const v = s.value;
  const float trace = 0.5f * (v[0] + v[3] + v[5]);
  return {fused(1.5f, v[0], -trace), 1.5f * v[1], 1.5f * v[2],
          fused(1.5f, v[3], -trace), 1.5f * v[4], fused(1.5f, v[5], -trace)};
}

// Depth of a mass seen as a whole, from 1 / r.
HALOSCOPE_HD inline float cell_depth(float dx, float dy, float dz, float mass, const Quadrupole& q,
                                     float inverse) {
  const float along = fused(dx, fused(q.xx, dx, 2 * fused(q.xy, dy, q.xz * dz)),
                            fused(dy, fused(q.yy, dy, 2 * q.yz * dz), q.zz * dz * dz));
  const float inverse2 = inverse * inverse;
  return inverse * fused(along * inverse2, inverse2, mass);
}

// Depth of a softened mass within the spline's support h.
HALOSCOPE_HD inline float spline_depth(float r2, float inverse, float mass, float h, float per_h) {
  const float u = r2 * inverse * per_h;
  return -mass * per_h * spline_potential(u < 1 ? u : 1.f, h * inverse);
}

// Softening as the sums take it. What is nearer than √near2 is no point mass; without softening
// that is what lies at the very place: no two places are nearer than a step, whose square is 2⁻⁴⁰.
struct SoftSums {
  float h, per_h, near2;
};
HALOSCOPE_HD inline SoftSums soft_sums(double support) {
  return support > 0 ? SoftSums{float(support), float(1 / support), float(support * support)}
                     : SoftSums{0, 0, 1.f / (1024.f * 1048576 * 1024)};
}
// Supports from which on the rounding of a place to single precision is nothing to the potential.
inline constexpr double kCoarseSupport = 4096 * kUnitsPerStep;

// Adds ψ of a mass with a spread, `d` from a group's origin, to the polynomial of it around that
// origin; both in sides of the box. ψ is even, so that its derivatives by the body's place are
// those at −d.
HALOSCOPE_HD inline void add_ewald(const EwaldView& ewald, const float (&d)[3], float mass,
                                   const float (&spread)[6], Derivatives<float>& sum) {
  const Derivatives<float> at = ewald.at(-d[0], -d[1], -d[2]);
  const float* const f = at.value;
  const float xx = 0.5f * spread[0], xy = spread[1], xz = spread[2], yy = 0.5f * spread[3],
              yz = spread[4], zz = 0.5f * spread[5];
  float* const t = sum.value;
  t[0] += mass * f[0] + xx * f[4] + xy * f[5] + xz * f[6] + yy * f[7] + yz * f[8] + zz * f[9];
  t[1] += mass * f[1] + xx * f[10] + xy * f[11] + xz * f[12] + yy * f[13] + yz * f[14] + zz * f[15];
  t[2] += mass * f[2] + xx * f[11] + xy * f[13] + xz * f[14] + yy * f[16] + yz * f[17] + zz * f[18];
  t[3] += mass * f[3] + xx * f[12] + xy * f[14] + xz * f[15] + yy * f[17] + yz * f[18] + zz * f[19];
  for (int k = 4; k < kDerivatives; ++k) t[k] += mass * f[k];
}

// The polynomial at a place near its origin.
template <class T>
HALOSCOPE_HD T polynomial(const T* f, T x, T y, T z) {
  const T third = x * (x * (x * f[10] + 3 * (y * f[11] + z * f[12])) +
                       3 * (y * (y * f[13] + 2 * z * f[14]) + z * z * f[15])) +
                  y * (y * (y * f[16] + 3 * z * f[17]) + 3 * z * z * f[18]) + z * z * z * f[19];
  const T second =
      x * (x * f[4] + 2 * (y * f[5] + z * f[6])) + y * (y * f[7] + 2 * z * f[8]) + z * z * f[9];
  return f[0] + x * f[1] + y * f[2] + z * f[3] + second / 2 + third / 6;
}

// What a kernel reads and writes.
struct PotentialWork {
  const PotentialSource* sources;
  const PotentialCell* cells;
  const CellSpread* spreads;
  const BodyGroup* groups;
  std::uint32_t group_number;
  const std::uint32_t* order;  // of the points, by place
  const std::uint32_t* rows;   // null as in PointsView
  SoftSums soft;
  bool fine;  // places must not be rounded
  bool wide;
  EwaldView ewald;            // no grid: none
  double per_unit, per_box;   // the whole mass over a unit, and over the box
  float* potential;           // by row
  unsigned long long* terms;  // over cells, and over bodies

  HALOSCOPE_HD std::uint32_t row(std::uint32_t place) const {
    const std::uint32_t i = order[place];
    return rows ? rows[i] : i;
  }
  // From the sum of depths in units, the mass at the body's own place, and ψ's sum.
  HALOSCOPE_HD float potential_of(double depth, float coincident, float own, double images) const {
    const double central = double(coincident - own) * (14.0 / 5) * double(soft.per_h);
    return float(images * per_box - (depth + central) * per_unit);
  }
};

}  // namespace haloscope::compute::gravity
