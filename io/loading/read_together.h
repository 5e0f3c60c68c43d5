#pragma once

#include "io/snapshot_reader.h"

#include <cstdint>
#include <vector>

namespace haloscope::io {

// What processes tell one another that read parts of one snapshot. All of them call the same
// functions in the same order. They throw where one of the others has failed.
class ReadTogether {
 public:
  virtual ~ReadTogether() = default;

  // The rows that this process reads of a type with `count` rows. Those of all processes are all
  // rows, in the order of the processes.
  virtual RowRange rows_of(std::uint64_t count) const = 0;
  // The sum over all processes.
  virtual std::uint64_t sum(std::uint64_t part) const = 0;
  // The sum over the processes before this one.
  virtual std::uint64_t before(std::uint64_t part) const = 0;
  // The values of all processes, one process after the other.
  virtual std::vector<double> all(const std::vector<double>& values) const = 0;
};

}  // namespace haloscope::io
