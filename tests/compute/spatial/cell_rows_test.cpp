#include "compute/exec/cpu.h"
#include "compute/spatial/cell_grid.inl"
#include "tests/catch.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::spatial;

TEST_CASE("each row has its first cell, or the next one behind it, across gaps of any length",
          "[clusters]") {
  std::mt19937 random(7);
  for (const std::uint32_t rows : {1u, 511u, 512u, 513u, 1024u, 1025u, 5000u, 100000u})
    for (const std::uint32_t wanted : {1u, 2u, 5u, 300u}) {
      std::vector<std::uint32_t> row_of;
      std::uniform_int_distribution<std::uint32_t> any(0, rows - 1);
      for (std::uint32_t c = 0; c < wanted; ++c) row_of.push_back(any(random));
      // Some at the edges of stretches.
      row_of.back() = std::min(rows - 1, kFilledByOne * (wanted % 3));
      std::sort(row_of.begin(), row_of.end());
      const auto cells = std::uint32_t(row_of.size());
      std::vector<std::uint32_t> start(std::size_t(rows) + 1, ~0u), expected;
      for (std::uint32_t r = 0; r <= rows; ++r)
        expected.push_back(
            std::uint32_t(std::lower_bound(row_of.begin(), row_of.end(), r) - row_of.begin()));
      const FillRows short_gaps{row_of.data(), start.data(), rows, cells};
      for (std::size_t c = 0; c < cells; ++c) short_gaps(c);
      const FillLongGaps long_gaps{row_of.data(), start.data(), rows, cells};
      for (std::size_t s = 0; s < FillLongGaps::stretches(rows); ++s) long_gaps(s);
      INFO(rows << " rows, " << cells << " cells");
      CHECK(start == expected);
    }
}
