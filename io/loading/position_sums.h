#pragma once

#include "core/domain.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace haloscope::io {

// Sums of fixed-point positions. In whole numbers: the mean is the same in whatever order the
// chunks come. Halves are summed apart, so that 2^48 particles do not overflow.
class PositionSums {
 public:
  void add(const std::array<std::uint32_t, 3>& fixed) {
    ++count_;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      high_[axis] += fixed[axis] >> 16;
      low_[axis] += fixed[axis] & 0xffff;
    }
  }
  void add(const PositionSums& other) {
    count_ += other.count_;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      high_[axis] += other.high_[axis];
      low_[axis] += other.low_[axis];
    }
  }
  // World coordinates, without regard to the box's edge; 0 of no particle.
  std::array<double, 3> mean(const Domain& domain) const {
    std::array<double, 3> mean{};
    if (count_ == 0) return mean;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double steps = double(high_[axis]) * 65536 + double(low_[axis]);
      // Fixed point rounds down: by half a step on average.
      mean[axis] = domain.origin[axis] + (steps / double(count_) + 0.5) * domain.step();
    }
    return mean;
  }

 private:
  std::uint64_t count_ = 0;
  std::array<std::uint64_t, 3> high_{}, low_{};
};

}  // namespace haloscope::io
