#pragma once

#include "analysis/halos/found_halos.h"
#include "analysis/plot.h"

namespace haloscope::analysis {

// The mass function of halos that were found: points with their error bars, upper limits where none
// was found, and a line at the mass of the fewest members allowed. Without layers where the halos
// have no masses.
Plot mass_function_plot(const FoundHalos& halos);

}  // namespace haloscope::analysis
