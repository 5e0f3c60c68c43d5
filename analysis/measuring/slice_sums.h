#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::analysis {

// Sums over rows with the same bits for any number of threads. The rows are cut into slices, whose
// number depends on the number of rows and on `most` alone. Each slice is added up in the order of
// its rows, and the slices in theirs. Sums has `+=`; `empty` is one of nothing, and
// add(sums, begin, end) adds rows. `most` slices are in memory at once.
template <class Sums, class Add>
Sums sum_in_slices(std::uint64_t rows, std::size_t most, const Sums& empty, const Add& add) {
  constexpr std::uint64_t kLeast = 1 << 14;
  const std::uint64_t slices =
      std::clamp<std::uint64_t>(rows / kLeast, 1, std::max<std::size_t>(most, 1));
  std::vector<Sums> parts(slices, empty);
  tbb::parallel_for(std::uint64_t(0), slices, [&](std::uint64_t slice) {
    const std::uint64_t begin = rows / slices * slice + std::min(slice, rows % slices);
    const std::uint64_t size = rows / slices + (slice < rows % slices ? 1 : 0);
    add(parts[slice], begin, begin + size);
  });
  Sums total = empty;
  for (const Sums& part : parts) total += part;
  return total;
}

}  // namespace haloscope::analysis
