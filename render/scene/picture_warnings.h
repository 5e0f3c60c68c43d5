#pragma once

#include "compute/splotch/renderer.h"

#include <string>

namespace haloscope::render {

// Warns of a picture or map in which nothing is to be seen, and says why. `mean_field`: of a map of
// means, or empty.
void warn_of_darkness(const compute::splotch::Frame& frame, bool map,
                      const std::string& mean_field);

}  // namespace haloscope::render
