#pragma once

#include "compute/splotch/renderer.h"
#include "core/image.h"

#include <string>

namespace haloscope::render {

// Warns of a picture or map in which nothing is to be seen, and says why. `mean_field`: of a map of
// means, or empty.
void warn_of_darkness(const compute::splotch::Frame& frame, bool map,
                      const std::string& mean_field);

// How a map's edges lie in a periodic box.
struct MapEdges {
  bool at_box = false;            // it covers the box
  bool margin_too_small = false;  // it is closed there, but not for the widest kernels
};

// Warns where part of the mass (`mass`: of all particles) is not in a map of the whole box. Where
// that is as it must be, returns the sentence that tells it; empty: nothing is missing but
// rounding.
std::string tell_mass_outside(const ImageF& map, const compute::splotch::View& view, double mass,
                              const MapEdges& edges);

}  // namespace haloscope::render
