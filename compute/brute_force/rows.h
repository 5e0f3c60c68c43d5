#pragma once

#include <cstdint>

// Searches that compare all rows of a table with all others: in many dimensions no tree saves work.
namespace haloscope::compute::brute_force {

// Points of any number of dimensions, one row of finite numbers after the other. No number is
// larger than kLargest, so that no distance overflows float32.
struct Rows {
  static constexpr std::uint32_t kMostDimensions = 1024;
  static constexpr float kLargest = 1e36f;

  const float* values = nullptr;
  std::uint32_t count = 0, dimensions = 0;
};

}  // namespace haloscope::compute::brute_force
