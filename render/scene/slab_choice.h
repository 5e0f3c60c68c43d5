#pragma once

#include "compute/splotch/settings.h"

#include <cstddef>
#include <optional>

namespace haloscope::render {

// Which part of a snapshot is drawn, by where particles are: their middles count, and splats reach
// beyond. Code units.
struct SlabChoice {
  std::optional<double>
      thickness;  // along the line of sight, half before and half behind the target
  std::optional<std::size_t> axis;  // between two planes across it: 0 is x
  // These planes; in a periodic box the first may be the higher one: then over the box's edge.
  double low = 0, high = 0;

  bool any() const { return thickness || axis; }
  bool operator==(const SlabChoice&) const = default;
};

// The view of what lies in the slab, and of nothing else.
compute::splotch::View with_slab(const compute::splotch::View& view, const SlabChoice& slab);

}  // namespace haloscope::render
