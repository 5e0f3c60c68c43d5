#pragma once

#include "compute/distributed/domains.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::distributed {

// Some points of this rank that are numbered from `first` on.
struct NumberedPart {
  PointPart points;
  std::uint32_t first = 0;
};

struct NumberedPoint {
  std::uint32_t x, y, z, number;
};

// The points of all parts, one after the other.
class PointsOfParts {
 public:
  explicit PointsOfParts(std::span<const NumberedPart> parts) : parts_(parts) {
    for (const NumberedPart& part : parts) ends_.push_back(count() + part.points.count);
  }
  std::uint64_t count() const { return ends_.empty() ? 0 : ends_.back(); }
  NumberedPoint operator[](std::uint64_t place) const {
    std::size_t p = 0;
    while (place >= ends_[p]) ++p;
    const PointPart& points = parts_[p].points;
    const std::uint64_t i = place - (ends_[p] - points.count);
    return {points.position[0][i], points.position[1][i], points.position[2][i],
            parts_[p].first + std::uint32_t(i)};
  }

 private:
  std::span<const NumberedPart> parts_;  // few: one for each type of particles
  std::vector<std::uint64_t> ends_;
};

}  // namespace haloscope::compute::distributed
