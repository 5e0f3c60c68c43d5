#include "compute/brute_force/panel.h"

#include "core/simd_clones.h"
#include "tests/catch.h"

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

// Which columns of a panel are near, by registers of each length, beside sums of whole numbers.

namespace haloscope::compute::brute_force {

using NearColumns = void(const float*, const float* const*, const float*, std::uint32_t,
                         std::uint32_t*);
#if HALOSCOPE_HAS_REGISTER_VERSIONS
NearColumns near_columns_16, near_columns_32, near_columns_64;
#endif

namespace {

std::vector<NearColumns*> versions() {
  std::vector<NearColumns*> all{near_columns};
#if HALOSCOPE_HAS_REGISTER_VERSIONS
  all.push_back(near_columns_16);
  if (register_bytes() >= 32) all.push_back(near_columns_32);
  if (register_bytes() >= 64) all.push_back(near_columns_64);
#endif
  return all;
}

}  // namespace

TEST_CASE("near columns of a panel are those of whole numbers, by registers of each length") {
  // So small that float32 holds all sums.
  std::mt19937 random(3);
  for (const std::uint32_t dimensions : {1u, 2u, 7u, 40u}) {
    std::vector<int> columns(dimensions * kPanelRows), rows(dimensions * kRowsAtOnce);
    for (int& x : columns) x = int(random() % 21);
    for (int& x : rows) x = int(random() % 21);
    std::vector<float> panel(columns.begin(), columns.end());
    constexpr std::uint32_t kMissing = 13;
    for (std::uint32_t d = 0; d < dimensions; ++d)
      panel[d * kPanelRows + kMissing] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> values(rows.begin(), rows.end());
    std::array<const float*, kRowsAtOnce> row{};
    std::array<float, kRowsAtOnce> limit{};
    std::array<std::uint32_t, kRowsAtOnce> expected{};
    for (std::uint32_t r = 0; r < kRowsAtOnce; ++r) {
      row[r] = values.data() + r * dimensions;
      std::array<int, kPanelRows> squared{};
      for (std::uint32_t c = 0; c < kPanelRows; ++c)
        for (std::uint32_t d = 0; d < dimensions; ++d) {
          const int apart = columns[d * kPanelRows + c] - rows[r * dimensions + d];
          squared[c] += apart * apart;
        }
      // A distance that occurs belongs to the near ones; nothing is as near as -1.
      const int at_most = r + 1 < kRowsAtOnce ? squared[2 * r] : -1;
      limit[r] = float(at_most);
      for (std::uint32_t c = 0; c < kPanelRows; ++c)
        if (c != kMissing && squared[c] <= at_most) expected[r] |= 1u << c;
    }
    for (NearColumns* const version : versions()) {
      std::array<std::uint32_t, kRowsAtOnce> near{};
      near.fill(~0u);
      version(panel.data(), row.data(), limit.data(), dimensions, near.data());
      CHECK(near == expected);
    }
  }
}

}  // namespace haloscope::compute::brute_force
