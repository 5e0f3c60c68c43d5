#pragma once

#include "compute/exec/ranks.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace haloscope::compute::distributed {

// Calls f(begin, end) for pieces of at most `at_once` of the `count` things of this rank, which may
// differ from rank to rank, equally often on all ranks: f may be a collective call. A rank that has
// no more gets empty pieces. All ranks call it, with one `at_once`.
template <class F>
void for_pieces(Ranks& ranks, std::uint64_t count, std::uint64_t at_once, const F& f) {
  std::uint64_t most = count;
  ranks.all_reduce(std::span(&most, 1),
                   [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  for (std::uint64_t first = 0; first < most; first += at_once)
    f(std::min(first, count), std::min(first + at_once, count));
}

}  // namespace haloscope::compute::distributed
