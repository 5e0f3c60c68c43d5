#pragma once

#include "core/host_device.h"

#include <cmath>

namespace haloscope::compute::gravity {

// The spline's support per Plummer equivalent softening: both have the same central potential.
inline constexpr double kSplinePerPlummer = 2.8;

// h times the potential per mass (G = 1) at distance u · h, u < 1, of a mass spread out as the
// cubic spline of support h: Springel, Yoshida and White 2001, eq. 71; Springel 2005, eq. 4.
// `per_u` is 1 / u, which matters from u = 1/2 on.
template <class T>
HALOSCOPE_HD T spline_potential(T u, T per_u) {
  const T v = u * u;
  const T inner = v * (T(16.0 / 3) + v * (T(-48.0 / 5) + u * T(32.0 / 5))) - T(14.0 / 5);
  const T outer = T(1.0 / 15) * per_u +
                  v * (T(32.0 / 3) + u * (T(-16) + u * (T(48.0 / 5) + u * T(-32.0 / 15)))) -
                  T(16.0 / 5);
  return u < T(0.5) ? inner : outer;
}

// The same at distance sqrt(r2) for any support h; without softening masses at the same point do
// not attract one another.
template <class T>
HALOSCOPE_HD T softened_potential(T r2, T h) {
  const T r = sqrt(r2);
  if (r2 >= h * h) return r2 > 0 ? -1 / r : T(0);
  return spline_potential(r / h, h / r) / h;
}

}  // namespace haloscope::compute::gravity
