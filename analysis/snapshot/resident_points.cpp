#include "analysis/snapshot/resident_points.h"

#include <array>
#include <cstddef>

namespace haloscope::analysis {

bool is_current(const ResidentPoints& points) {
  return stamps_of(points.files) == points.stamps;
}

KnownPositions known_positions(std::shared_ptr<const ResidentPoints> points) {
  KnownPositions known;
  known.domain = points->domain;
  for (const auto& [type, one] : points->types)
    known.types[type] = {one.counts, one.rejected_rows,
                         [points, set = one.points](std::array<Array<std::uint32_t>, 3>& to) {
                           for (std::size_t axis = 0; axis < 3; ++axis) {
                             to[axis] = Array<std::uint32_t>(std::size_t(set->count()));
                             set->copy_axis(axis, to[axis].data());
                           }
                         }};
  return known;
}

}  // namespace haloscope::analysis
