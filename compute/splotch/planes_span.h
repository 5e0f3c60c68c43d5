#pragma once

#include "compute/splotch/settings.h"

#include <cmath>

namespace haloscope::compute::splotch {

// How far it is from the low plane upwards to the high one; in a periodic domain of that side, 0
// for none, over its edge where the high one lies below. World lengths.
inline double planes_span(const Planes& planes, double side) {
  const double span = planes.high - planes.low;
  return side > 0 && span < 0 ? span + side * std::ceil(-span / side) : span;
}

}  // namespace haloscope::compute::splotch
