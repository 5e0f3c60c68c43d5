#include "io/loading/column_checks.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <functional>

namespace haloscope::io {

std::uint64_t count_outside(const Array<float>& column, float low, float high) {
  constexpr std::size_t kGrain = 1 << 16;
  const tbb::blocked_range<std::size_t> all(0, column.size(), kGrain);
  return tbb::parallel_reduce(
      all, std::uint64_t(0),
      [&](const tbb::blocked_range<std::size_t>& range, std::uint64_t sum) {
        for (std::size_t begin = range.begin(); begin < range.end(); begin += kGrain) {
          const std::size_t end = std::min(range.end(), begin + kGrain);
          std::uint32_t odd = 0;
          // Comparisons with NaN are false.
          for (std::size_t i = begin; i < end; ++i)
            odd += std::uint32_t(!(column[i] >= low)) | std::uint32_t(!(column[i] <= high));
          sum += odd;
        }
        return sum;
      },
      std::plus<>());
}

}  // namespace haloscope::io
