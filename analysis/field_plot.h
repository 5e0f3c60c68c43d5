#pragma once

#include "analysis/finding.h"
#include "analysis/plot.h"

#include <string>

namespace haloscope::analysis {

// The histogram of a field: how many particles of all types have a value in each of `bins` even
// steps of its scale, from the lowest to the highest value; where all values are equal, in one step
// around them. Without layers where no particle has a value. The plot's name is the field's. Values
// that a logarithmic scale cannot show are left out.
Plot field_plot(const std::string& name, const ParticleField& field, int bins = 64);

}  // namespace haloscope::analysis
