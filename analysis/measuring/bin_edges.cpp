#include "analysis/measuring/bin_edges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace haloscope::analysis {

namespace {

// The natural logarithm to 8e-5, of a positive number, several times faster than the exact one:
// exponent, and a polynomial through log2's values at the Chebyshev points of [1, 2]. Of a
// subnormal number it is too small.
double rough_log(double x) {
  constexpr double kLn2 = 0.6931471805599453;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const double exponent = double(int(bits >> 52) - 1023);
  const double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  const double log2 =
      -2.498353148813843 +
      m * (4.029211391070551 +
           m * (-2.078335168250735 + m * (0.626032182163479 - m * 0.07844067620906969)));
  return kLn2 * (exponent + log2);
}

}  // namespace

BinEdges::BinEdges(double low, double high, std::size_t bins, bool log) : log_(log) {
  begin_ = log ? std::log(low) : low;
  const double span = (log ? std::log(high) : high) - begin_;
  per_bin_ = double(bins) / span;
  edges_.resize(bins + 1);
  for (std::size_t k = 0; k <= bins; ++k) {
    const double place = begin_ + span * (double(k) / double(bins));
    edges_[k] = log ? std::exp(place) : place;
  }
  edges_.front() = low;
  edges_.back() = high;
}

double BinEdges::middle(std::size_t bin) const {
  // Products of roots: the product itself may be too large for a number.
  return log_ ? std::sqrt(edges_[bin]) * std::sqrt(edges_[bin + 1])
              : edges_[bin] + (edges_[bin + 1] - edges_[bin]) / 2;
}

std::optional<std::size_t> BinEdges::find(double value) const {
  if (!(value >= low() && value < high())) return {};
  // Near enough: the edges decide.
  const double place = ((log_ ? rough_log(value) : value) - begin_) * per_bin_;
  auto bin = std::size_t(std::clamp(place, 0.0, double(count() - 1)));
  while (value < edges_[bin]) --bin;
  while (value >= edges_[bin + 1]) ++bin;
  return bin;
}

std::optional<std::size_t> BinEdges::find_closed(double value) const {
  if (value == high()) return count() - 1;
  return find(value);
}

}  // namespace haloscope::analysis
