#pragma once

#include "compute/exec/cpu.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace haloscope::compute {

// Sorts each run [begin[r], begin[r + 1]) of `items` by itself, many small ones at once and each
// large one on all cores. Equal items must be indistinguishable: the sort isn't stable.
template <class T>
void sort_segments(Cpu&, const char* /*name*/, T* items, const std::vector<std::uint64_t>& begin) {
  constexpr std::uint64_t kLarge = 1 << 15;
  const auto is_large = [&](std::size_t r) { return begin[r + 1] - begin[r] >= kLarge; };
  const std::size_t runs = begin.size() - 1;
  ::tbb::parallel_for(::tbb::blocked_range<std::size_t>(0, runs, 16), [&](const auto& range) {
    for (std::size_t r = range.begin(); r != range.end(); ++r)
      if (!is_large(r)) std::sort(items + begin[r], items + begin[r + 1]);
  });
  for (std::size_t r = 0; r < runs; ++r)
    if (is_large(r)) ::tbb::parallel_sort(items + begin[r], items + begin[r + 1]);
}

}  // namespace haloscope::compute
