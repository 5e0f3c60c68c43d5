#pragma once

#include "core/vector.h"

#include <cmath>

// The few products of vectors that cameras and paths are made of. GLM's are not used: its
// normalize() multiplies by a reciprocal, whose last bit differs from the quotient, and pictures
// are the same to the bit from release to release. Its quaternions serve camera paths.
namespace haloscope {

// a + factor · b
inline Vec plus(const Vec& a, const Vec& b, double factor = 1) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

inline Vec minus(const Vec& a, const Vec& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

inline double dot(const Vec& a, const Vec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline double length(const Vec& a) {
  return std::sqrt(dot(a, a));
}

// The same direction, of length 1; NaN where there is none.
inline Vec unit(const Vec& a) {
  const double size = length(a);
  return {a[0] / size, a[1] / size, a[2] / size};
}

}  // namespace haloscope
