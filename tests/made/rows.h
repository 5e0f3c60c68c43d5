#pragma once

#include "compute/brute_force/rows.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Tables of points made up in a test.
namespace haloscope::test {

struct MadeRows {
  std::string name;
  std::uint32_t dimensions;
  std::vector<float> values;

  std::uint32_t count() const { return std::uint32_t(values.size() / dimensions); }
  compute::brute_force::Rows view() const { return {values.data(), count(), dimensions}; }
  const float* row(std::uint32_t r) const { return values.data() + std::size_t(r) * dimensions; }
};

// As compute/brute_force/row_distance.h promises it, in other words than the code's.
inline float distance_of_rows(const MadeRows& rows, std::uint32_t a, std::uint32_t b) {
  double sum[8] = {};
  for (std::uint32_t d = 0; d < rows.dimensions; ++d) {
    const float apart = rows.row(a)[d] - rows.row(b)[d];
    sum[d % 8] += double(apart) * double(apart);
  }
  for (const int step : {1, 2, 4})
    for (int k = 0; k < 8; k += 2 * step) sum[k] += sum[k + step];
  return float(std::sqrt(sum[0]));
}

// Numbers from 0 to 1.
inline MadeRows uniform_rows(std::uint32_t count, std::uint32_t dimensions, unsigned seed) {
  std::mt19937 random(seed);
  MadeRows rows{"uniform", dimensions, {}};
  for (std::size_t i = 0; i < std::size_t(count) * dimensions; ++i)
    rows.values.push_back(float(random() >> 8) * 0x1p-24f);
  return rows;
}

// Whole numbers below `side`: many rows are equally far from one another, or the same.
inline MadeRows grid_rows(std::uint32_t count, std::uint32_t dimensions, unsigned side,
                          unsigned seed) {
  std::mt19937 random(seed);
  MadeRows rows{"grid of " + std::to_string(side), dimensions, {}};
  for (std::size_t i = 0; i < std::size_t(count) * dimensions; ++i)
    rows.values.push_back(float(random() % side));
  return rows;
}

// Clumps of widths that differ a thousandfold, and one row in twenty anywhere.
inline MadeRows clumped_rows(std::uint32_t count, std::uint32_t dimensions, unsigned clumps,
                             unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> anywhere(-1, 1);
  std::vector<float> center;
  for (std::size_t i = 0; i < std::size_t(clumps) * dimensions; ++i)
    center.push_back(anywhere(random));
  MadeRows rows{"clumps", dimensions, {}};
  for (std::uint32_t r = 0; r < count; ++r) {
    const std::size_t clump = random() % clumps;
    const bool is_alone = random() % 20 == 0;
    const float width = 0.1f * std::pow(10.f, -3.f * float(clump) / float(clumps));
    for (std::uint32_t d = 0; d < dimensions; ++d)
      rows.values.push_back(is_alone ? anywhere(random)
                                     : center[clump * dimensions + d] + width * normal(random));
  }
  return rows;
}

// The same with each number times `factor`, plus `shift`.
inline MadeRows changed(MadeRows rows, float factor, float shift) {
  rows.name += " times " + std::to_string(factor) + " plus " + std::to_string(shift);
  for (float& x : rows.values) x = x * factor + shift;
  return rows;
}

}  // namespace haloscope::test
