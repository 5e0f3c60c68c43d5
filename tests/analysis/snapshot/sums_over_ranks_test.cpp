// Checksums of columns that several ranks have beside those of one.

#include "analysis/snapshot/sums_over_ranks.h"

#include "compute/exec/ranks.h"
#include "tests/catch.h"

#include <cstdint>
#include <random>
#include <vector>

using namespace haloscope;

TEST_CASE("sums of blocks over ranks are those of one, wherever the ranks' rows end", "[ranks]") {
  constexpr std::uint64_t kBlock = io::kSummedTogether;
  std::mt19937 random(4);
  std::vector<std::uint32_t> values(std::size_t(3 * kBlock + 70));
  for (auto& value : values) value = std::uint32_t(random());
  const auto expected = io::block_sums(values.data(), values.size());
  REQUIRE(expected.size() == 4);
  const std::uint64_t all = values.size();
  // Behind the last row of each rank.
  const std::vector<std::vector<std::uint64_t>> cuts{
      {all},
      {1, all},
      {kBlock, 2 * kBlock, all},
      {5, 5, 9, kBlock + 1, all, all},
      {0, 2 * kBlock - 1, 2 * kBlock + 1, all - 1, all},
      {kBlock / 2, all - 10, all - 5, all}};
  for (const auto& ends : cuts) {
    INFO(ends.size() << " ranks, the first with " << ends.front());
    std::vector<std::vector<std::uint64_t>> found(ends.size());
    compute::run_thread_ranks(int(ends.size()), [&](compute::Ranks& ranks) {
      const auto r = std::size_t(ranks.rank());
      const std::uint64_t begin = r == 0 ? 0 : ends[r - 1];
      const compute::PartOfRows rows(ranks, ends[r] - begin);
      found[r] = analysis::sums_over_ranks(rows, values.data() + begin);
    });
    for (const auto& sums : found) CHECK(sums == expected);
  }
}
