#pragma once

#include "compute/exec/ranks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// Which rank has which rows of each kind of particles: the ranks have them one after the other.
class RankedRows {
 public:
  // All ranks call it, with the number of rows that each has of each kind.
  RankedRows(Ranks& ranks, std::span<const std::uint64_t> own) : rank_(ranks.rank()) {
    const std::vector<std::uint64_t> all = ranks.all_gather<std::uint64_t>(own);
    begin_.resize(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      begin_[k].push_back(0);
      for (int r = 0; r < ranks.size(); ++r)
        begin_[k].push_back(begin_[k].back() + all[std::size_t(r) * own.size() + k]);
    }
  }

  std::size_t kinds() const { return begin_.size(); }
  std::uint64_t total(std::size_t kind) const { return begin_[kind].back(); }
  // The first row of this rank.
  std::uint64_t first(std::size_t kind) const { return begin_[kind][std::size_t(rank_)]; }
  int rank_of(std::size_t kind, std::uint64_t row) const {
    const auto& begin = begin_[kind];
    return int(std::upper_bound(begin.begin(), begin.end(), row) - begin.begin()) - 1;
  }

 private:
  int rank_;
  std::vector<std::vector<std::uint64_t>> begin_;  // by kind and rank, and the end
};

}  // namespace haloscope::compute::distributed
