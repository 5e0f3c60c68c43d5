#pragma once

#include "compute/brute_force/row_search.h"
#include "compute/exec/buffer.h"
#include "compute/exec/cpu.h"
#include "core/progress.h"

#include <cstdint>

namespace haloscope::compute::brute_force {

// Compares blocks of rows with panels of all rows in vector registers; what may be near is measured
// again. Takes as much memory again as the rows do, which must outlive it.
template <>
class RowSearch<Cpu> {
 public:
  RowSearch(Cpu& exec, const Rows& rows, Progress& progress);

  void nearest(const NearestRows& lists);
  void foreign(const ForeignSearch& search);

 private:
  template <class Block>
  void for_blocks(std::uint32_t count, const Block& block);

  Cpu& exec_;
  Rows rows_;
  Progress& progress_;
  std::uint32_t panels_;
  Buffer<float, Cpu> panel_;  // the rows, turned in groups
};

}  // namespace haloscope::compute::brute_force
