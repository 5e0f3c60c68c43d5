#include "app/session/rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace haloscope::app::session {

namespace {

double dot(const Rotation& a, const Rotation& b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

Rotation normalized(const Rotation& q) {
  const double length = std::sqrt(dot(q, q));
  return {q.w / length, q.x / length, q.y / length, q.z / length};
}

// Columns: where x, y and z go. Of the four equivalent formulas the one without cancellation
// (Shepperd 1978, J. Guid. Control 1, 223).
Rotation from_axes(const Vec& x, const Vec& y, const Vec& z) {
  const double trace = x[0] + y[1] + z[2];
  Rotation q;
  if (trace >= std::max({x[0], y[1], z[2]}))
    q = {1 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0]};
  else if (x[0] >= y[1] && x[0] >= z[2])
    q = {y[2] - z[1], 1 + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2]};
  else if (y[1] >= z[2])
    q = {z[0] - x[2], x[1] + y[0], 1 + y[1] - x[0] - z[2], y[2] + z[1]};
  else
    q = {x[1] - y[0], z[0] + x[2], y[2] + z[1], 1 + z[2] - x[0] - y[1]};
  return normalized(q);
}

}  // namespace

Vec turned(const Rotation& q, const Vec& v) {
  const Vec axis{q.x, q.y, q.z};
  const Vec t = cross(axis, v);
  return plus(plus(v, t, 2 * q.w), cross(axis, t), 2);
}

Rotation operator*(const Rotation& a, const Rotation& b) {
  return normalized({a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w});
}

Rotation about(const Vec& axis, double degrees) {
  const double half = 0.5 * degrees * std::numbers::pi / 180;
  const double s = std::sin(half);
  return {std::cos(half), s * axis[0], s * axis[1], s * axis[2]};
}

Rotation facing(const Vec& behind, const Vec& up) {
  const Vec back = unit(behind);
  const Vec right = unit(cross(up, back));
  return from_axes(right, cross(back, right), back);
}

Rotation between(const Rotation& from, const Rotation& to, double fraction) {
  // q and −q are the same rotation; the nearer one is the shorter way.
  const double sign = dot(from, to) < 0 ? -1 : 1;
  const double angle = std::acos(std::min(1., sign * dot(from, to)));
  double a = 1 - fraction, b = fraction;
  // Where the sines lose their digits the chord is the arc.
  if (angle > 1e-6) {
    a = std::sin((1 - fraction) * angle) / std::sin(angle);
    b = std::sin(fraction * angle) / std::sin(angle);
  }
  b *= sign;
  return normalized(
      {a * from.w + b * to.w, a * from.x + b * to.x, a * from.y + b * to.y, a * from.z + b * to.z});
}

}  // namespace haloscope::app::session
