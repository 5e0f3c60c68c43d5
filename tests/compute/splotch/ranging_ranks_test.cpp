// Limits of colors, from columns of which each rank has a part.

#include "compute/exec/part_of_rows.h"
#include "compute/splotch/ranging.h"
#include "tests/catch.h"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::splotch;

namespace {

bool same(const Ranging& a, const Ranging& b) {
  return a.transform == b.transform && a.low == b.low && a.high == b.high;
}

}  // namespace

TEST_CASE("limits over ranks are those of the whole column", "[ranks][ranging]") {
  std::mt19937 random(4);
  std::lognormal_distribution<float> values(0, 3);
  // Fewer rows than ranks, and so many that every third is looked at.
  for (const std::size_t count : {0, 1, 2, 5000, 3'500'000}) {
    std::vector<float> column;
    for (std::size_t i = 0; i < count; ++i) column.push_back(values(random) - 0.5f);
    if (count > 3) column[3] = std::numeric_limits<float>::quiet_NaN();
    for (const Transform transform : {Transform::Linear, Transform::Log}) {
      const float* const data = column.data();
      const Ranging quantiles = quantile_range(data, count, transform, 0.005, 0.995);
      const Ranging extremes = data_range(&data, 1, count, transform);
      for (const int size : {1, 3, 4}) {
        std::atomic<int> right{0};
        run_thread_ranks(size, [&](Ranks& ranks) {
          const std::uint64_t begin = part_begin(count, ranks.rank(), size);
          const PartOfRows rows(ranks, part_begin(count, ranks.rank() + 1, size) - begin);
          const float* const own = data + begin;
          right += rows.first() == begin && rows.total() == count &&
                   same(quantile_range(own, rows, transform, 0.005, 0.995), quantiles) &&
                   same(data_range(&own, 1, rows, transform), extremes);
        });
        INFO(count << " rows, " << size << " ranks");
        CHECK(right == size);
      }
    }
  }
}
