#pragma once

#include "compute/exec/ranks.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute {

// This rank's rows of columns whose other rows the other ranks have, one rank's behind the other's.
class PartOfRows {
 public:
  // All ranks call it, with the number of rows that each has.
  PartOfRows(Ranks& ranks, std::uint64_t count) : ranks_(&ranks), count_(count), total_(count) {
    if (ranks.size() == 1) return;
    const auto all = ranks.all_gather<std::uint64_t>(std::span<const std::uint64_t>(&count, 1));
    total_ = 0;
    for (int r = 0; r < ranks.size(); ++r) {
      if (r == ranks.rank()) first_ = total_;
      total_ += all[static_cast<std::size_t>(r)];
    }
  }

  std::uint64_t first() const { return first_; }  // number of the first own row among all
  std::uint64_t count() const { return count_; }  // own ones
  std::uint64_t total() const { return total_; }
  Ranks& ranks() const { return *ranks_; }

  // What add(i, out) puts into `out` for the own rows i that are rows 0, stride, 2 stride … of all:
  // on all ranks that of all rows, in their order. All ranks call it.
  template <class T, class Add>
  std::vector<T> every(std::uint64_t stride, const Add& add) const {
    std::vector<T> own;
    for (std::uint64_t i = (stride - first_ % stride) % stride; i < count_; i += stride)
      add(static_cast<std::size_t>(i), own);
    return ranks_->size() == 1 ? own : ranks_->all_gather<T>(std::span<const T>(own));
  }

  // The own rows of a column of all rows.
  template <class T>
  std::vector<T> own(const T* all) const {
    return std::vector<T>(all + first_, all + first_ + count_);
  }

 private:
  Ranks* ranks_;
  std::uint64_t first_ = 0, count_ = 0, total_ = 0;
};

}  // namespace haloscope::compute
