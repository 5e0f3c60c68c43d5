#include "analysis/measuring/bin_edges.h"

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

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
  const double place = ((log_ ? std::log(value) : value) - begin_) * per_bin_;
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
