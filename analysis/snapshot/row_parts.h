#pragma once

#include "compute/exec/part_of_rows.h"
#include "compute/exec/ranks.h"
#include "io/loading/read_together.h"

#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::analysis {

// Ranks that read a snapshot together: each a run of the rows of every type, of nearly one length.
class RowParts final : public io::ReadTogether {
 public:
  explicit RowParts(compute::Ranks& ranks) : ranks_(ranks) {}

  io::RowRange rows_of(std::uint64_t count) const override {
    return {compute::part_begin(count, ranks_.rank(), ranks_.size()),
            compute::part_begin(count, ranks_.rank() + 1, ranks_.size())};
  }
  std::uint64_t sum(std::uint64_t part) const override { return ranks_.sum(part); }
  std::uint64_t before(std::uint64_t part) const override {
    return compute::PartOfRows(ranks_, part).first();
  }
  std::vector<double> all(const std::vector<double>& values) const override {
    return ranks_.all_gather<double>(values);
  }

 private:
  compute::Ranks& ranks_;
};

}  // namespace haloscope::analysis
