#include "compute/clusters/point_weights.h"

#include "core/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace haloscope::compute::clusters {

namespace {

// Doubles hold whole numbers up to 2⁵³. With 2ᵇ units in each mean, n points weigh n · 2ᵇ units,
// and rounding adds n / 2 at most: n · 2ᵇ up to 2⁵² leaves room for both.
constexpr int kSumBits = 52;
// More digits than float32 has, in which masses are.
constexpr int kMostBits = 32;

}  // namespace

PointWeights weights_in_means(const std::vector<double>& values) {
  double largest = 0;
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (!(std::isfinite(values[p]) && values[p] >= 0))
      throw Error("the weight of point " + std::to_string(p) + " is " + std::to_string(values[p]),
                  "clusters", "give weights that are finite and 0 or more");
    largest = std::max(largest, values[p]);
  }
  if (!(largest > 0)) throw Error("all weights are 0", "clusters", "give one above 0");
  const std::size_t count = values.size();
  const int bits = std::min(kMostBits, kSumBits - int(std::bit_width(std::uint64_t(count))));
  // In parts of the largest: nothing overflows, and the mean of equal weights is exact.
  double sum = 0;
  for (const double value : values) sum += value / largest;
  const double mean = sum / double(count);
  PointWeights weights;
  weights.mean = mean * largest;
  weights.of.reserve(count);
  for (const double value : values)
    weights.of.push_back(
        std::ldexp(std::nearbyint(std::ldexp(value / largest / mean, bits)), -bits));
  return weights;
}

}  // namespace haloscope::compute::clusters
