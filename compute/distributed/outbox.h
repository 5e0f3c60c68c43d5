#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// Puts copies of `rows` rows in the order in which they go to the ranks: rank after rank, and for
// each rank in the order of the rows. Returns how many copies each rank gets.
//
// copies_of(row, use) calls use(rank, what) once for each copy, the same each time that it is
// called; take(total) makes the room; put(place, row, what) writes a copy there. All cores call
// copies_of and put.
template <class CopiesOf, class Take, class Put>
std::vector<std::uint64_t> sort_copies(int ranks, std::uint64_t rows, const CopiesOf& copies_of,
                                       const Take& take, const Put& put) {
  // Each stretch of rows has its counts, which become its places: 8 bytes for each rank.
  constexpr std::uint64_t kStretch = 1 << 14;
  const auto stretches = static_cast<std::size_t>((rows + kStretch - 1) / kStretch);
  const auto n = static_cast<std::size_t>(ranks);
  std::vector<std::uint64_t> next(stretches * n, 0);
  const auto each_row = [&](const auto& use) {
    tbb::parallel_for(std::size_t(0), stretches, [&](std::size_t s) {
      const std::uint64_t end = std::min(rows, (s + 1) * kStretch);
      for (std::uint64_t row = s * kStretch; row < end; ++row) use(row, next.data() + s * n);
    });
  };
  each_row([&](std::uint64_t row, std::uint64_t* counts) {
    copies_of(row, [&](std::size_t rank, const auto&) { ++counts[rank]; });
  });
  std::vector<std::uint64_t> of_rank(n, 0);
  std::uint64_t total = 0;
  for (std::size_t rank = 0; rank < n; ++rank) {
    const std::uint64_t before = total;
    for (std::size_t s = 0; s < stretches; ++s) {
      const std::uint64_t count = next[s * n + rank];
      next[s * n + rank] = total;
      total += count;
    }
    of_rank[rank] = total - before;
  }
  take(static_cast<std::size_t>(total));
  each_row([&](std::uint64_t row, std::uint64_t* places) {
    copies_of(row, [&](std::size_t rank, const auto& what) {
      put(static_cast<std::size_t>(places[rank]++), row, what);
    });
  });
  return of_rank;
}

}  // namespace haloscope::compute::distributed
