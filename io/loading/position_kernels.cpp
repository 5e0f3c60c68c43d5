#include "io/loading/position_kernels.h"

#include "core/simd_clones.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haloscope::io {

namespace {

template <class T>
using Limits = FixedPointConverter::Limits<T>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// These loops are plain and must be inlined for the compiler to make vectors of each version's
// width.
#define HALOSCOPE_INLINE inline __attribute__((always_inline))

template <class T>
HALOSCOPE_INLINE void split(const T* __restrict xyz, std::size_t points, T* __restrict x,
                            T* __restrict y, T* __restrict z) {
  for (std::size_t i = 0; i < points; ++i) {
    x[i] = xyz[3 * i];
    y[i] = xyz[3 * i + 1];
    z[i] = xyz[3 * i + 2];
  }
}

template <class T>
HALOSCOPE_INLINE bool all_within(const T* __restrict values, std::size_t count, T low, T high) {
  unsigned odd = 0;
  // Comparisons with NaN are false.
  for (std::size_t i = 0; i < count; ++i)
    odd |= unsigned(!(values[i] >= low)) | unsigned(!(values[i] <= high));
  return odd == 0;
}

template <class T>
HALOSCOPE_INLINE void to_fixed(const T* __restrict values, std::size_t count, double origin,
                               double side, std::uint32_t* __restrict out) {
  constexpr double kSteps = 4294967296.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double steps = std::floor((double(values[i]) - origin) / side * kSteps);
    // Only conversions to signed numbers are one instruction everywhere.
    out[i] = std::uint32_t(std::int32_t(steps - kSteps / 2)) ^ 0x80000000U;
  }
}

template <class T>
HALOSCOPE_INLINE bool convert_points(const T* xyz, std::size_t points, const Limits<T>& limits,
                                     const std::array<double, 3>& origin, double side,
                                     const std::array<std::uint32_t*, 3>& out) {
  alignas(64) T axes[3][FixedPointConverter::kMostPoints];
  split(xyz, points, axes[0], axes[1], axes[2]);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!all_within(axes[axis], points, limits.low[axis], limits.high[axis])) return false;
  for (std::size_t axis = 0; axis < 3; ++axis)
    to_fixed(axes[axis], points, origin[axis], side, out[axis]);
  return true;
}

HALOSCOPE_SIMD_CLONES
bool convert_floats(const float* xyz, std::size_t points, const Limits<float>& limits,
                    const std::array<double, 3>& origin, double side,
                    const std::array<std::uint32_t*, 3>& out) {
  return convert_points(xyz, points, limits, origin, side, out);
}

HALOSCOPE_SIMD_CLONES
bool convert_doubles(const double* xyz, std::size_t points, const Limits<double>& limits,
                     const std::array<double, 3>& origin, double side,
                     const std::array<std::uint32_t*, 3>& out) {
  return convert_points(xyz, points, limits, origin, side, out);
}

template <class T>
HALOSCOPE_INLINE bool widen(PointBounds& bounds, const T* xyz, std::size_t points) {
  constexpr std::size_t kLanes = 16;
  constexpr T kMost = std::numeric_limits<T>::max();
  alignas(64) T axes[3][FixedPointConverter::kMostPoints];
  split(xyz, points, axes[0], axes[1], axes[2]);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!all_within(axes[axis], points, -kMost, kMost)) return false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const T* values = axes[axis];
    T low[kLanes], high[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) low[lane] = high[lane] = values[0];
    std::size_t i = 0;
    for (; i + kLanes <= points; i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        low[lane] = values[i + lane] < low[lane] ? values[i + lane] : low[lane];
        high[lane] = values[i + lane] > high[lane] ? values[i + lane] : high[lane];
      }
    for (; i < points; ++i) {
      low[0] = std::min(low[0], values[i]);
      high[0] = std::max(high[0], values[i]);
    }
    bounds.low[axis] = std::min(bounds.low[axis], double(*std::min_element(low, low + kLanes)));
    bounds.high[axis] = std::max(bounds.high[axis], double(*std::max_element(high, high + kLanes)));
  }
  return true;
}

HALOSCOPE_SIMD_CLONES
bool widen_by_floats(PointBounds& bounds, const float* xyz, std::size_t points) {
  return widen(bounds, xyz, points);
}

HALOSCOPE_SIMD_CLONES
bool widen_by_doubles(PointBounds& bounds, const double* xyz, std::size_t points) {
  return widen(bounds, xyz, points);
}

// The largest number whose distance to the origin is less than the side after rounding; one below
// the origin, so that all are odd, where it is not found near by.
double last_inside(double origin, double side) {
  constexpr int kMostSteps = 64;
  auto inside = [&](double x) { return (x - origin) / side < 1; };
  double x = origin + side;
  for (int i = 0; i < kMostSteps && !inside(x); ++i) x = std::nextafter(x, -kInfinity);
  for (int i = 0; i < kMostSteps && inside(std::nextafter(x, kInfinity)); ++i)
    x = std::nextafter(x, kInfinity);
  return inside(x) ? x : std::nextafter(origin, -kInfinity);
}

// Limits that part the numbers of float as these part those of double.
float rounded_up(double limit) {
  const auto near = float(limit);
  return double(near) < limit ? std::nextafter(near, float(kInfinity)) : near;
}

}  // namespace

FixedPointConverter::FixedPointConverter(const PositionFrame& frame)
    : origin_(frame.domain.origin), side_(frame.domain.side), floats_{}, doubles_{} {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double& low = doubles_.low[axis] = origin_[axis];
    double& high = doubles_.high[axis] = last_inside(origin_[axis], side_);
    if (!frame.domain.periodic) {
      low = std::max(low, frame.low[axis]);
      high = std::min(high, frame.high[axis]);
    }
    floats_.low[axis] = rounded_up(low);
    floats_.high[axis] = -rounded_up(-high);
  }
}

bool FixedPointConverter::convert(const float* xyz, std::size_t points,
                                  const std::array<std::uint32_t*, 3>& out) const {
  return convert_floats(xyz, points, floats_, origin_, side_, out);
}

bool FixedPointConverter::convert(const double* xyz, std::size_t points,
                                  const std::array<std::uint32_t*, 3>& out) const {
  return convert_doubles(xyz, points, doubles_, origin_, side_, out);
}

bool PointBounds::add(const float* xyz, std::size_t points) {
  return points == 0 || widen_by_floats(*this, xyz, points);
}

bool PointBounds::add(const double* xyz, std::size_t points) {
  return points == 0 || widen_by_doubles(*this, xyz, points);
}

}  // namespace haloscope::io
