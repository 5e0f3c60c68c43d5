#pragma once

#include "core/host_device.h"

#include <cmath>

// How much a point that falls out at λ belongs to clusters of a condensed tree.
namespace haloscope::compute::clusters {

// To a cluster that nothing leaves above λ = death.
HALOSCOPE_HD inline double probability_of(double lambda, double death) {
  if (death == 0 || !(lambda < HUGE_VAL)) return 1;
  return (lambda < death ? lambda : death) / death;
}

// GLOSH: how far out it is in the cluster that it falls out of, within which `highest` is the
// largest λ.
HALOSCOPE_HD inline double outlier_score_of(double lambda, double highest) {
  if (highest == 0 || !(lambda < HUGE_VAL)) return 0;
  if (!(highest < HUGE_VAL)) return 1;  // beside points that coincide
  return (highest - lambda) / highest;
}

}  // namespace haloscope::compute::clusters
