#pragma once

#include "compute/exec/ranks.h"

#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute {

// Element by element op(op(rank 0's, rank 1's), …) of vectors of one length, cut into runs:
// `counts[r]` elements, one run behind the other, of which rank r gets the r-th, reduced. All ranks
// name the same counts, whose sum is the vectors' length.
template <class T, class Op>
std::vector<T> reduce_scatter(Ranks& ranks, std::span<const T> values,
                              std::span<const std::uint64_t> counts, const Op& op) {
  std::vector<std::uint64_t> received;
  const std::vector<T> shares = ranks.exchange<T>(values, counts, received);
  const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(ranks.rank())]);
  std::vector<T> reduced(shares.begin(), shares.begin() + std::ptrdiff_t(own));
  for (std::size_t r = 1; r < static_cast<std::size_t>(ranks.size()); ++r)
    for (std::size_t i = 0; i < own; ++i) reduced[i] = op(reduced[i], shares[r * own + i]);
  return reduced;
}

}  // namespace haloscope::compute
