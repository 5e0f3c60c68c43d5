#pragma once

#include "core/host_device.h"

#include <cmath>
#include <cstdint>

// Sums of excesses of λ over points, exact whatever the order of the terms, so that both executors
// and any number of threads select the same clusters.
namespace haloscope::compute::clusters {

// What is born where heights are 0 and ends there has no excess.
HALOSCOPE_HD inline double excess(double from, double to) {
  return to > from ? to - from : 0;
}

// Of one cluster. Each excess is rounded down to a whole number of quanta, 2⁻⁶³ of a power of two
// above the largest λ of the cluster, times the points that have it; the sum of those of 2³² points
// fits into two words.
struct ExcessSum {
  std::uint64_t high = 0, low = 0;  // the sum is high · 2³² + low quanta

  HALOSCOPE_HD void add(double excess, std::uint32_t points, int exponent) {
    const auto quanta = std::uint64_t(ldexp(excess, 63 - exponent));
    high += (quanta >> 32) * points;
    low += (quanta & 0xffffffff) * points;
  }
  HALOSCOPE_HD double value(int exponent) const {
    const std::uint64_t all_high = high + (low >> 32);
    return ldexp(ldexp(double(all_high), 32) + double(low & 0xffffffff), exponent - 63);
  }
};

// Of a cluster's largest λ, finite: all its excesses are below 2 to this.
HALOSCOPE_HD inline int excess_exponent(double death) {
  int exponent = 0;
  (void)frexp(death, &exponent);
  return exponent;
}

// The sum of all excesses of a cluster with these λ; `sum` is that of the finite ones.
HALOSCOPE_HD inline double excess_of(const ExcessSum& sum, double birth, double death) {
  if (!(death < HUGE_VAL)) return birth < HUGE_VAL ? death : 0;
  return death > 0 ? sum.value(excess_exponent(death)) : 0;
}

}  // namespace haloscope::compute::clusters
