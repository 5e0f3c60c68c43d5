#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace haloscope::analysis {

// Bins side by side, even on a linear or a logarithmic scale.
class BinEdges {
 public:
  BinEdges() = default;
  // `low` below `high`; both above 0 where `log`. The first and the last edge are these to the bit.
  BinEdges(double low, double high, std::size_t bins, bool log);

  std::size_t count() const { return edges_.size() - 1; }
  double low() const { return edges_.front(); }
  double high() const { return edges_.back(); }
  bool log() const { return log_; }
  double edge(std::size_t k) const { return edges_[k]; }
  const std::vector<double>& edges() const { return edges_; }
  // Halfway between the edges of a bin, on the scale.
  double middle(std::size_t bin) const;

  // The bin whose lower edge is at most `value` and whose upper edge is above it. The edges decide,
  // not a rounded logarithm. Nothing outside of all bins, and for NaN.
  std::optional<std::size_t> find(double value) const;
  // The same, and the upper end belongs to the last bin.
  std::optional<std::size_t> find_closed(double value) const;

 private:
  std::vector<double> edges_{0, 1};
  double begin_ = 0, per_bin_ = 1;  // on the scale
  bool log_ = false;
};

}  // namespace haloscope::analysis
