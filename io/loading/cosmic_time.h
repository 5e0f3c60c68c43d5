#pragma once

#include "core/units.h"

#include <vector>

namespace haloscope::io {

// Ages of a universe of matter, curvature and a cosmological constant; radiation, which matters in
// the first million years alone, is left out:
//   t(a) = 1/H0 * integral from 0 to a of da' / sqrt(Om/a' + Ok + OL a'^2), Ok = 1 - Om - OL.
class CosmicTime {
 public:
  // Up to the scale factor `latest`. Omega_matter and the Hubble parameter must be above 0.
  CosmicTime(const Cosmology& cosmology, double latest);

  // Gyr since the Big Bang; NaN for scale factors that are not above 0. Later ones count as the
  // latest.
  double gyr(double scale_factor) const;

 private:
  double step_ = 1;          // of sqrt(a), in which t is smooth
  std::vector<double> gyr_;  // at its multiples
};

inline constexpr double kSecondsPerGyr = 3.15576e16;  // Julian years

}  // namespace haloscope::io
