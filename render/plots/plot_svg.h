#pragma once

#include "analysis/plot.h"

#include <string>

namespace haloscope::render {

// A plot as an SVG file, black on white, for print: letters are letters, which an editor can
// change. Its notes go into its description.
std::string plot_svg(const analysis::Plot& plot);

}  // namespace haloscope::render
