#pragma once

#include "compute/distributed/domains.h"
#include "compute/distributed/outbox.h"
#include "compute/exec/ranks.h"
#include "core/array.h"
#include "core/check.h"

#include <tbb/parallel_for.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// The points of this rank by the ranks in whose parts of space they lie, and their columns on the
// way there. Fewer than 2³² points a rank.
class PointsByOwner {
 public:
  PointsByOwner(const Domains& domains, const PointPart& own) {
    HALOSCOPE_CHECK(own.count, <, std::uint64_t(1) << 32);
    counts_ = sort_copies(
        domains.size(), own.count,
        [&](std::uint64_t row, const auto& use) {
          use(std::size_t(
                  domains.owner(own.position[0][row], own.position[1][row], own.position[2][row])),
              0);
        },
        [&](std::size_t total) { rows_.resize(total); },
        [&](std::size_t place, std::uint64_t row, int) { rows_[place] = std::uint32_t(row); });
  }

  // The own rows, rank after rank and ascending for each.
  const LargeVector<std::uint32_t>& rows() const { return rows_; }

  // A column's values for the points that lie in this rank's part of space, of one rank behind
  // those of another, and each rank's in their order; `came`: how many from each. All ranks call
  // it.
  template <class T>
  LargeVector<T> send(Ranks& ranks, const T* column, std::vector<std::uint64_t>& came) const {
    LargeVector<T> values(rows_.size());
    tbb::parallel_for(std::size_t(0), rows_.size(),
                      [&](std::size_t at) { values[at] = column[rows_[at]]; });
    return ranks.exchange_many<T>(std::span<const T>(values.data(), values.size()), counts_, came);
  }

 private:
  LargeVector<std::uint32_t> rows_;
  std::vector<std::uint64_t> counts_;  // by rank
};

}  // namespace haloscope::compute::distributed
