#pragma once

#include <vector>

// How much each point counts where clusters are told by their size.
namespace haloscope::compute::clusters {

// Weights in units of their mean: n points weigh n together, and equal weights are 1 each. They are
// rounded to whole multiples of a power of two, 2⁻³² for a million points and fewer, 2⁻²² for a
// billion. So every sum of them is exact in double, and does not depend on the order of its terms.
struct PointWeights {
  std::vector<double> of;  // of each point
  double mean = 0;         // in the unit of what was given
};

// Throws Error unless all values are finite and 0 or more, and one is above 0.
PointWeights weights_in_means(const std::vector<double>& values);

}  // namespace haloscope::compute::clusters
