#include "compute/exec/kept_blocks.h"

#include "compute/exec/cpu.h"
#include "tests/catch.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

using namespace haloscope::compute;

namespace {

constexpr std::size_t kMiB = std::size_t(1) << 20;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;  // so that the sanitizer sees what is freed
#else
constexpr bool kKeeps = true;
#endif

}  // namespace

TEST_CASE("a large block that was given back is handed out again", "[exec]") {
  if (!kKeeps) return;  // there is nothing to see
  KeptBlocks blocks;
  blocks.keep(true);
  void* const first = blocks.take(8 * kMiB);
  void* const second = blocks.take(4 * kMiB);
  blocks.give_back(first);
  CHECK(blocks.kept_bytes() == 8 * kMiB);
  SECTION("of the same length, or a shorter one") {
    for (const std::size_t bytes : {8 * kMiB, 5 * kMiB}) {
      void* const again = blocks.take(bytes);
      CHECK(again == first);
      CHECK(blocks.kept_bytes() == 0);
      blocks.give_back(again);
    }
  }
  SECTION("the shortest that is long enough comes first") {
    blocks.give_back(second);
    void* const again = blocks.take(4 * kMiB);
    CHECK(again == second);
    CHECK(blocks.kept_bytes() == 8 * kMiB);
    blocks.give_back(again);
    blocks.keep(false);
    CHECK(blocks.kept_bytes() == 0);
    return;
  }
  blocks.give_back(second);
}

TEST_CASE("a large block is not handed out where it is too short, or far too long", "[exec]") {
  if (!kKeeps) return;
  KeptBlocks blocks;
  blocks.keep(true);
  void* const others[] = {blocks.take(32 * kMiB), blocks.take(8 * kMiB)};
  blocks.give_back(others[0]);
  blocks.give_back(others[1]);
  CHECK(blocks.kept_bytes() == 40 * kMiB);
  SECTION("too short") {
    void* const longer = blocks.take(33 * kMiB);
    CHECK(blocks.kept_bytes() == 0);  // there is no room for both beside it
    blocks.give_back(longer);
  }
  SECTION("far too long") {
    void* const shorter = blocks.take(3 * kMiB);
    CHECK(blocks.kept_bytes() == 8 * kMiB);  // the first that came back made room
    blocks.give_back(shorter);
    CHECK(blocks.kept_bytes() == 11 * kMiB);
  }
}

TEST_CASE("nothing is kept where nobody asks for it", "[exec]") {
  KeptBlocks blocks;
  void* const early = blocks.take(8 * kMiB);
  blocks.give_back(early);
  CHECK(blocks.kept_bytes() == 0);
  // What was taken before and is given back after.
  blocks.keep(true);
  void* const late = blocks.take(8 * kMiB);
  blocks.keep(false);
  blocks.give_back(late);
  CHECK(blocks.kept_bytes() == 0);
}

TEST_CASE("what is kept and what is in use are never more than was asked for at once", "[exec]") {
  KeptBlocks blocks;
  blocks.keep(true);
  std::size_t used = 0, most = 0;
  std::vector<std::pair<void*, std::size_t>> taken;
  for (std::size_t k = 0; k < 200; ++k) {
    // Lengths that fit no block before them, and some that do.
    const std::size_t bytes = kMiB * (1 + k * 7 % 23);
    taken.push_back({blocks.take(bytes), bytes});
    REQUIRE(taken.back().first);
    std::memset(taken.back().first, 1, bytes);
    used += bytes;
    most = std::max(most, used);
    CHECK(used + blocks.kept_bytes() <= most);
    while (taken.size() > 1 + k % 5) {
      used -= taken.front().second;
      blocks.give_back(taken.front().first);
      taken.erase(taken.begin());
    }
  }
  for (const auto& [place, bytes] : taken) blocks.give_back(place);
}

TEST_CASE("a loop asks for what its next calls need", "[exec]") {
  struct Sum {
    std::vector<int>& asked;
    std::vector<int>& sum;
    void prefetch(std::size_t i) const { ++asked[i]; }
    void operator()(std::size_t i) const { sum[i] += asked[i]; }
  };
  Cpu exec;
  std::vector<int> asked(1000), sum(1000);
  parallel_for(exec, "sum", sum.size(), Sum{asked, sum});
  CHECK(std::accumulate(sum.begin(), sum.end(), 0) == 1000);
}
