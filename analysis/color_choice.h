#pragma once

#include "compute/splotch/settings.h"

#include <array>
#include <optional>
#include <string>

namespace haloscope::analysis {

// How the user wants a color to follow its field; what is empty is left to the program.
struct ColorChoice {
  std::string color_map;                             // name, or a palette file
  std::optional<compute::splotch::Transform> scale;  // of the color
  std::optional<std::array<double, 2>> limits;       // in the field's own units
  bool operator==(const ColorChoice&) const = default;
};

}  // namespace haloscope::analysis
