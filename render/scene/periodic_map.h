#pragma once

#include "compute/splotch/settings.h"
#include "core/image.h"

namespace haloscope::render {

// A map of a whole periodic box has no edge: what a kernel spreads beyond one side belongs to the
// opposite one. So the map is drawn with a margin as wide as the largest kernel, and the margin is
// folded back.
struct PeriodicMap {
  compute::splotch::View view;  // with the margin
  int margin = 0;               // pixels on each side
  int period = 0;               // pixels per box side
  bool complete = true;         // false: kernels wider than any margin that can be drawn
};

// Whether a map is as wide and as high as the box, wherever its middle is.
bool covers_box(const compute::splotch::View& view, double box_side);

// `view`: all of the box, along an axis. `largest_radius`: world length.
PeriodicMap widen_view(const compute::splotch::View& view, double box_side, double largest_radius);

// The picture that `view` wanted, mass conserved.
ImageF fold(const ImageF& wide, const PeriodicMap& map);

}  // namespace haloscope::render
