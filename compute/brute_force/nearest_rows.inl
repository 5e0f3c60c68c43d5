#pragma once

#include "compute/brute_force/nearest_rows.h"
#include "compute/brute_force/row_search.h"
#include "compute/exec/buffer.h"
#include "compute/exec/phases.h"
#include "compute/exec/slices.inl"

#include <cstddef>

namespace haloscope::compute::brute_force {

template <class Exec>
NeighborLists nearest_rows_on(Exec& exec, const Rows& rows, std::uint32_t k, Progress& progress,
                              Timings* timings) {
  Timings own_timings;
  Phases<Exec> phases(exec, timings ? *timings : own_timings);
  RowSearch<Exec> search(exec, rows, progress);
  const std::size_t size = std::size_t(rows.count) * k;
  Buffer<std::uint32_t, Exec> row(exec, size, "neighbors");
  Buffer<float, Exec> distance(exec, size, "neighbors");
  phases.begin("neighbors");
  search.nearest({k, row.data(), distance.data()});
  phases.end();
  return {k, download(exec, row), download(exec, distance)};
}

}  // namespace haloscope::compute::brute_force
