#include "io/loading/outline.h"

#include <algorithm>
#include <cmath>

namespace haloscope::io {

namespace {

double along(const Outline::Vector& a, const Outline::Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

}  // namespace

OutlineTest::OutlineTest(const Outline& outline, const SnapshotInfo& info) : outline_(outline) {
  if (info.periodic && info.box_size > 0) side_ = info.box_size;
  const auto &r = outline.right, &u = outline.up;
  back_ = {r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2], r[0] * u[1] - r[1] * u[0]};
  if (outline.corners.empty()) return;
  low_ = high_ = outline.corners.front().at;
  for (const Outline::Corner& corner : outline.corners)
    for (std::size_t c = 0; c < 2; ++c) {
      low_[c] = std::min(low_[c], corner.at[c]);
      high_[c] = std::max(high_[c], corner.at[c]);
    }
}

bool OutlineTest::holds(const Outline::Vector& point) const {
  Outline::Vector from{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    from[axis] = point[axis] - outline_.middle[axis];
    if (side_ > 0) from[axis] -= side_ * std::round(from[axis] / side_);
  }
  const double depth = outline_.distance - along(from, back_);
  if (!(depth > 0)) return false;
  const double width =
      outline_.perspective ? outline_.width * depth / outline_.distance : outline_.width;
  return surrounds(along(from, outline_.right) / width, along(from, outline_.up) / width);
}

bool OutlineTest::surrounds(double x, double y) const {
  if (x < low_[0] || x > high_[0] || y < low_[1] || y > high_[1]) return false;
  bool inside = false;
  const auto& corners = outline_.corners;
  for (std::size_t k = 0, before = corners.size() - 1; k < corners.size(); before = k++) {
    const auto &a = corners[k].at, &b = corners[before].at;
    if ((a[1] > y) == (b[1] > y)) continue;
    if (x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) inside = !inside;
  }
  return inside;
}

}  // namespace haloscope::io
