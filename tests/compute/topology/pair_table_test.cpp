// The table of components that touch.

#include "compute/topology/pair_table.inl"

#include "compute/exec/cpu.h"
#include "compute/exec/slices.inl"
#include "tests/catch.h"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::topology;

namespace {

// How many of `count` pairs of component 0 with each other one found a place; each is put twice.
std::size_t place_hub(Cpu& exec, PairTableView table, std::uint32_t count) {
  std::vector<std::uint8_t> placed(count, 0);
  parallel_for(exec, "test", 2 * std::size_t(count), [&](std::size_t i) {
    const auto other = std::uint32_t(i % count) + 1;
    const std::uint64_t slot = table.find_or_add(i < count ? 0 : other, i < count ? other : 0);
    if (slot != kNoSlot) {
      atomic_minimum(table.moment + slot, i + 5);
      atomic_store(&placed[i % count], 1);
    }
  });
  return std::size_t(std::count(placed.begin(), placed.end(), 1));
}

}  // namespace

TEST_CASE("a component that touches all others finds room for each", "[topology]") {
  constexpr std::uint32_t kOthers = 5000;
  Cpu exec;
  PairTable<Cpu> table(exec, kOthers + 1, 8);
  CHECK(place_hub(exec, table.view(), kOthers) == kOthers);
  const auto slots = download(exec, table.used());
  REQUIRE(slots.size() == kOthers);
  std::vector<bool> met(kOthers + 1, false);
  bool same = true;
  for (const std::uint64_t slot : slots) {
    const auto pair = table.view().pair[slot];
    same = same && pair >> 32 == 0 && pair <= kOthers && !met[pair];
    met[pair] = true;
    same = same && table.view().moment[slot] == pair - 1 + 5;
  }
  CHECK(same);
}

TEST_CASE("a table that is too small says so", "[topology]") {
  constexpr std::uint32_t kComponents = 40;
  Cpu exec;
  PairTable<Cpu> table(exec, kComponents, 8);
  std::size_t refused = 0;
  for (std::uint32_t a = 0; a < kComponents; ++a)
    for (std::uint32_t b = a + 1; b < kComponents; ++b)
      refused += table.view().find_or_add(a, b) == kNoSlot;
  // 780 pairs in 320 slots.
  CHECK(refused >= 780 - 320);
  const auto used = download(exec, table.used()).size();
  CHECK(used + refused == 780);
  CHECK(used > 250);
}
