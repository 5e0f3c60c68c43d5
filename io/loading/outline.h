#pragma once

#include "core/snapshot_info.h"

#include <array>
#include <cstddef>
#include <vector>

namespace haloscope::io {

// What is seen inside a closed line that was drawn over a picture: all along the lines of sight, in
// front of the eye. Lengths are the file's own.
struct Outline {
  using Vector = std::array<double, 3>;

  Vector middle{0, 0, 0};  // of the picture; of periodic copies the nearest to it counts
  Vector right{1, 0, 0}, up{0, 1, 0};  // of the picture: directions of length 1
  double distance = 1;                 // from the eye to the middle
  double width = 1;                    // of the picture at the middle
  bool perspective = true;             // else lines of sight are parallel
  struct Corner {
    std::array<double, 2> at{0, 0};  // in widths of the picture from its middle, y up
    bool operator==(const Corner&) const = default;
  };
  std::vector<Corner> corners;  // three or more

  bool operator==(const Outline&) const = default;
};

// Whether points lie inside an outline; where it crosses itself, an odd number of times around.
class OutlineTest {
 public:
  OutlineTest(const Outline& outline, const SnapshotInfo& info);

  template <class T>
  bool contains(const T* p) const {
    return holds({double(p[0]), double(p[1]), double(p[2])});
  }

 private:
  bool holds(const Outline::Vector& point) const;
  bool surrounds(double x, double y) const;

  Outline outline_;
  Outline::Vector back_{};
  double side_ = 0;                       // of a periodic box; 0: there is none
  std::array<double, 2> low_{}, high_{};  // around the corners
};

}  // namespace haloscope::io
