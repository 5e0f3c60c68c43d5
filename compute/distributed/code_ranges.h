#pragma once

#include "compute/distributed/domains_view.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// Morton codes from one up to another, that one not included.
struct CodeRange {
  std::uint64_t begin = 0, end = 0;
};

// A part of space, as stretches of the Morton order.
class CodeRanges {
 public:
  CodeRanges() = default;
  // Ranges that ascend and do not touch.
  explicit CodeRanges(std::span<const CodeRange> ranges) : ranges_(ranges.begin(), ranges.end()) {}

  void add(CodeRange range) { ranges_.push_back(range); }
  void add(const CodeRanges& others) {
    ranges_.insert(ranges_.end(), others.ranges_.begin(), others.ranges_.end());
  }
  std::size_t size() const { return ranges_.size(); }

  // Orders them and joins those that touch: for what is below.
  void merge();
  bool has(std::uint64_t code) const;
  // What lies in the stretches of the other ranks than `own`, one rank's behind the other's, and
  // how many ranges of each. `cuts`: codes at which ranks 1, 2, … begin, ascending.
  std::vector<CodeRange> of_others(std::span<const std::uint64_t> cuts, int own,
                                   std::vector<std::uint64_t>& counts) const;

 private:
  std::vector<CodeRange> ranges_;
};

}  // namespace haloscope::compute::distributed
