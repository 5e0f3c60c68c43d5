#pragma once

#include "io/loading/position_frame.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace haloscope::io {

// Turns runs of ordinary positions into fixed point, several at a time. A run that holds an odd one
// (not finite, outside the domain or the frame) is left to the caller.
class FixedPointConverter {
 public:
  static constexpr std::size_t kMostPoints = 256;

  explicit FixedPointConverter(const PositionFrame& frame);

  // At most kMostPoints points x y z into out[axis][0 … points-1], bit for bit what
  // Domain::to_fixed gives. False, and nothing is written, where one of them is odd.
  bool convert(const float* xyz, std::size_t points,
               const std::array<std::uint32_t*, 3>& out) const;
  bool convert(const double* xyz, std::size_t points,
               const std::array<std::uint32_t*, 3>& out) const;
  // Integers are too rare to be worth it.
  template <class T>
  bool convert(const T*, std::size_t, const std::array<std::uint32_t*, 3>&) const {
    return false;
  }

  // Ordinary coordinates lie between these, both included.
  template <class T>
  struct Limits {
    std::array<T, 3> low, high;
  };

 private:
  std::array<double, 3> origin_;
  double side_;
  Limits<float> floats_;
  Limits<double> doubles_;
};

// The bounds of points x y z, widened to hold `points` more; at most kMostPoints of a converter.
struct PointBounds {
  std::array<double, 3> low, high;

  // False, and nothing is widened, where one of the points is not finite.
  bool add(const float* xyz, std::size_t points);
  bool add(const double* xyz, std::size_t points);
  template <class T>
  bool add(const T*, std::size_t) {
    return false;
  }
};

}  // namespace haloscope::io
