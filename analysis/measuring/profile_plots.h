#pragma once

#include "analysis/measuring/radial_profile.h"
#include "analysis/plot.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// "density", "mass", "velocity", "dispersion" and, where they are known, "temperature": each a plot
// over the radius, with error bars where there are such, and lines at R200 and at the limits of
// trust. Bins that are not to be trusted are faint. `origin`: lines for the notes.
std::vector<Plot> profile_plots(const RadialProfile& profile,
                                const std::vector<std::string>& origin);

}  // namespace haloscope::analysis
