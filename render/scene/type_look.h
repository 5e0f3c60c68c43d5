#pragma once

#include "compute/splotch/settings.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

// How one type of particles shall look, in the field's own units. What the kernel takes of it is an
// Appearance (make_renderer_input).
struct TypeLook {
  int type = 0;       // its number
  std::string color;  // a field of ParticleColumns, kLocalDensity, or empty: one color
  compute::splotch::Transform transform = compute::splotch::Transform::Linear;
  bool choose_transform = false;               // between log and linear, once the data are there
  std::optional<std::array<double, 2>> range;  // in the field's own units; else from the data
  std::vector<std::array<float, 3>> palette;   // display values
  double brightness = 1;                       // beside the other types
  double asked_brightness = 1;                 // the factor in it that the request gave
  // Of a part of the dark matter: the type (or, where that is not there, the types of the same
  // part) that it shares its light per mass with. None: its total light is that of any other type.
  std::optional<int> light_of;
  bool shown = true;      // at first
  double smooth = 1;      // multiplies smoothing lengths
  std::string intensity;  // classic: a field, logarithmically; empty: all particles alike
};

}  // namespace haloscope::render
