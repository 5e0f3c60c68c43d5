#pragma once

#include "analysis/halos/mass_function.h"
#include "analysis/plot.h"

#include <cstdint>
#include <string>

namespace haloscope::analysis {

// The mass function of halos that were found: points with their error bars, upper limits where none
// was found, and a line at the mass below which there is no halo of the fewest members allowed.
// Without layers where the halos have no masses. `snapshot`: names of its files, for the notes.
Plot mass_function_plot(const MassFunction& function, std::uint64_t min_members,
                        const std::string& snapshot);

}  // namespace haloscope::analysis
