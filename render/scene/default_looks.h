#pragma once

#include "compute/splotch/settings.h"

#include <array>
#include <string>
#include <vector>

namespace haloscope::render {

// How particles of a type look when nobody says otherwise: colors of its own, and how bright the
// whole type is beside the others (each type's total light is normalized before).
struct DefaultLook {
  std::vector<std::array<float, 3>> palette;  // display values
  double brightness = 1;
};

// Gas warm, dark matter cool and half as bright behind it, stars white; types beyond Gadget's six
// look like dark matter. Even the palettes' low ends carry light: what is cold or thin stays
// visible.
DefaultLook default_look(int type);

}  // namespace haloscope::render
