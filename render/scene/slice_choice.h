#pragma once

#include "analysis/color_choice.h"

#include <cstddef>
#include <optional>

namespace haloscope::render {

// A plane through the grid of what was found, as the user wants it over the picture.
struct SliceChoice {
  std::optional<std::size_t> axis;  // across which it lies: 0 is x; none: there is no plane
  double position = 0;              // on that axis, code units
  double opacity = 0.7;             // 0: nothing is seen of it, 1: nothing of what it covers
  analysis::ColorChoice look = {};
  bool operator==(const SliceChoice&) const = default;
};

}  // namespace haloscope::render
