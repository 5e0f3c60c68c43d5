#pragma once

#include "compute/splotch/settings.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::analysis {

// How many values lie in each of some even steps of a color's scale.
struct Histogram {
  double low = 0, high = 0;           // transformed: the smallest and largest value
  std::vector<std::uint32_t> counts;  // empty: no value has a place on this scale
};

// The values of one field of one particle type.
struct FieldHistograms {
  static constexpr std::size_t kBins = 128;
  static constexpr std::size_t kSample = 1u << 21;

  std::array<Histogram, 3> scales;        // by Transform: another scale needs no particle again
  std::uint64_t counted = 0, values = 0;  // the sample, and the values it stands for

  const Histogram& on(compute::splotch::Transform scale) const {
    return scales[std::size_t(scale)];
  }
};

// Counts a column, or of more than kSample values every n-th, which is enough for a picture of them
// and takes no second. Left out is what is not finite and, of the logarithm, what is not positive.
FieldHistograms count_values(const float* column, std::size_t rows);

}  // namespace haloscope::analysis
