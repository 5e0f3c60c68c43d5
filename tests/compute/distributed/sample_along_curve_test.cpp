// Samples along the Morton order over ranks beside those of a sort of all points.

#include "compute/distributed/sample_along_curve.h"

#include "compute/spatial/morton.h"
#include "tests/catch.h"
#include "tests/made/clumps.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace haloscope;

TEST_CASE("a sample along the curve over ranks is that of all points in Morton order",
          "[ranks][distributed]") {
  constexpr std::size_t kCount = 5000;
  test::Columns points = test::made_points(kCount, 12);
  // Many at one place, where rows decide.
  for (auto& axis : points) std::fill(axis.begin() + 100, axis.begin() + 400, axis[100]);
  std::vector<float> values(kCount);
  std::iota(values.begin(), values.end(), 0.f);
  std::vector<std::uint32_t> order(kCount);
  std::iota(order.begin(), order.end(), 0u);
  const auto code = [&](std::uint32_t i) {
    return compute::spatial::morton_code(points[0][i], points[1][i], points[2][i]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return code(a) < code(b); });
  for (const std::uint64_t stride : {1, 7, 100, 6000}) {
    std::vector<float> expected;
    for (std::uint64_t at = 0; at < kCount; at += stride) expected.push_back(values[order[at]]);
    for (const int size : {1, 2, 3, 6}) {
      std::vector<std::vector<float>> found(static_cast<std::size_t>(size));
      compute::run_thread_ranks(size, [&](compute::Ranks& ranks) {
        // The last one has none.
        const int parts = std::max(1, size - 1), r = std::min(ranks.rank(), parts);
        const std::uint64_t begin = compute::part_begin(kCount, r, parts);
        const std::uint64_t end = r == parts ? begin : compute::part_begin(kCount, r + 1, parts);
        compute::distributed::PointPart own;
        for (std::size_t axis = 0; axis < 3; ++axis)
          own.position[axis] = points[axis].data() + begin;
        own.count = end - begin;
        found[std::size_t(ranks.rank())] =
            compute::distributed::sample_along_curve(ranks, own, values.data() + begin, stride);
      });
      INFO("one of " << stride << ", " << size << " ranks");
      for (const auto& sample : found) CHECK(sample == expected);
    }
  }
}
