#pragma once

#include "compute/gravity/softening.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

// Sums of potentials over many particles in single precision: the part of the search for most bound
// members that takes time.
namespace haloscope::compute::gravity {

// Point masses on the lattice. Differences of coordinates are taken as integers, so that they lose
// nothing however close two particles of a large halo are, and wrap to the nearest image.
struct SourceView {
  // Numbers of sources are multiples of it: lists are filled up with masses of zero.
  static constexpr std::size_t kMultiple = 16;
  const std::uint32_t *x, *y, *z;
  const float* mass;

  HALOSCOPE_HD SourceView from(std::size_t i) const { return {x + i, y + i, z + i, mass + i}; }
};

// Of a softened mass at its own place.
HALOSCOPE_HD inline double central_depth(double mass, float h) {
  return h > 0 ? 14.0 / 5 * mass / double(h) : 0;
}

// Sums this long are of single precision, sums of such sums of double.
inline constexpr std::size_t kSingleSum = 256;
// The spline takes twice the time of a point: so many sources are tried as points at once.
inline constexpr std::size_t kTriedSum = 64;
// Of a sum of masses that are not negative, at most, per sum: terms are off by 3e-5 (inverse_root),
// the spline's by 1e-5; additions by kSingleSum · 2⁻²⁴ = 1.5e-5.
inline constexpr float kAttractionError = 1e-4f;

// 1 / sqrt(x) to 3e-5 by integers (Lomont 2003) and one step of third order, whose factors spread
// its error evenly over the ±3.43 % of the first guess. Vectors of any width do it as they are,
// which compilers do not see of 1 / sqrtf(x).
HALOSCOPE_HD inline float inverse_root(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = 0x5f37642fu - (bits >> 1);
  float y;
  std::memcpy(&y, &bits, sizeof y);
  const float c = x * y * y;
  return y * (1.876242f + c * (-1.2513793f + 0.375138f * c));
}

// Potential per mass over −1 (G = 1, lattice steps) of point masses at one place, without what is
// at the place itself, and the number of sources within sqrt(near2) of it.
struct PointSum {
  float depth, near;
};
HALOSCOPE_HD inline PointSum point_depth(const SourceView& s, std::size_t n, std::uint32_t x,
                                         std::uint32_t y, std::uint32_t z, float near2) {
  float sum = 0, near = 0;
  for (std::size_t i = 0; i < n / SourceView::kMultiple * SourceView::kMultiple; ++i) {
    const float dx = float(std::int32_t(s.x[i] - x)), dy = float(std::int32_t(s.y[i] - y)),
                dz = float(std::int32_t(s.z[i] - z));
    const float r2 = dx * dx + dy * dy + dz * dz;
    near += r2 < near2 ? 1.f : 0.f;
    sum += (r2 > 0 ? s.mass[i] : 0.f) * inverse_root(r2);
  }
  return {sum, near};
}

// The same of masses spread out as the spline of support 1 / per_h: also without what is at the
// place itself, whose mass is added up beside: that of the particle there and of others.
struct SoftSum {
  float depth, coincident;
};
HALOSCOPE_HD inline SoftSum soft_depth(const SourceView& s, std::size_t n, std::uint32_t x,
                                       std::uint32_t y, std::uint32_t z, float h, float per_h) {
  float sum = 0, coincident = 0;
  for (std::size_t i = 0; i < n / SourceView::kMultiple * SourceView::kMultiple; ++i) {
    const float dx = float(std::int32_t(s.x[i] - x)), dy = float(std::int32_t(s.y[i] - y)),
                dz = float(std::int32_t(s.z[i] - z));
    const float r2 = dx * dx + dy * dy + dz * dz;
    const float rough = inverse_root(r2 > 0.5f ? r2 : 0.5f);
    // One Newton step: the polynomials would double what the root is off by.
    const float inverse = rough * (1.5f - 0.5f * r2 * rough * rough);
    const float far = inverse * h;
    const float u = r2 * inverse * per_h;
    const float near = -spline_potential(u < 1 ? u : 1.f, far);
    coincident += r2 > 0 ? 0.f : s.mass[i];
    sum += (r2 > 0 ? s.mass[i] : 0.f) * (u < 1 ? near : far);
  }
  return {sum * per_h, coincident};
}

// The same, but no deeper than at the distance sqrt(least2): with that of h / 2.8 no less than the
// spline, which is nowhere deeper than a point or than at its center. The particle at the place
// itself counts. Takes half the time of the spline.
HALOSCOPE_HD inline float capped_depth(const SourceView& s, std::size_t n, std::uint32_t x,
                                       std::uint32_t y, std::uint32_t z, float least2) {
  float sum = 0;
  for (std::size_t i = 0; i < n / SourceView::kMultiple * SourceView::kMultiple; ++i) {
    const float dx = float(std::int32_t(s.x[i] - x)), dy = float(std::int32_t(s.y[i] - y)),
                dz = float(std::int32_t(s.z[i] - z));
    const float r2 = dx * dx + dy * dy + dz * dz;
    sum += s.mass[i] * inverse_root(r2 > least2 ? r2 : least2);
  }
  return sum;
}

// How masses attract: as points, as splines of support h, or as splines most of which are so far
// away that it is worth while to find out where points do. Most: as something no less deep than the
// splines.
struct Softening {
  enum Reach { None, Here, Rare, Most } reach = None;
  float h = 0;
};

// Adds to depth[k] the potential over −1 at target k < `count` of n sources. What lies at the
// target's own place counts where it is softened, a target among the sources too.
HALOSCOPE_HD inline void attract_plainly(const SourceView& sources, std::size_t n,
                                         const SourceView& targets, std::uint32_t count,
                                         Softening softening, double* depth) {
  const float h = softening.h, per_h = h > 0 ? 1 / h : 0;
  const bool none = softening.reach == Softening::None || !(h > 0);
  const std::size_t most = softening.reach == Softening::Rare && !none ? kTriedSum : kSingleSum;
  const float least = h * float(5.0 / 14);
  for (std::size_t begin = 0; begin < n; begin += most) {
    const SourceView s = sources.from(begin);
    const std::size_t some = n - begin < most ? n - begin : most;
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t x = targets.x[k], y = targets.y[k], z = targets.z[k];
      if (!none && softening.reach == Softening::Most) {
        depth[k] += double(capped_depth(s, some, x, y, z, least * least));
        continue;
      }
      if (none || softening.reach == Softening::Rare) {
        const PointSum points = point_depth(s, some, x, y, z, none ? 0 : h * h);
        if (!(points.near > 0)) {
          depth[k] += double(points.depth);
          continue;
        }
      }
      const SoftSum sum = soft_depth(s, some, x, y, z, h, per_h);
      depth[k] += double(sum.depth) + central_depth(double(sum.coincident), h);
    }
  }
}

// The same with the widest vectors that the machine has: attraction_cpu.cpp.
void attract_on_cpu(const SourceView& sources, std::size_t n, const SourceView& targets,
                    std::uint32_t count, Softening softening, double* depth);

inline void attract(const SourceView& sources, std::size_t n, const SourceView& targets,
                    std::uint32_t count, Softening softening, double* depth) {
  attract_on_cpu(sources, n, targets, count, softening, depth);
}

}  // namespace haloscope::compute::gravity
