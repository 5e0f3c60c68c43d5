#pragma once

#include "analysis/finding.h"
#include "analysis/plot.h"

#include <string>

namespace haloscope::analysis {

// The histogram of a field: how many particles of all types have a value in each of `bins` even
// steps of its scale, from the lowest to the highest value. Without layers where no particle has a
// value. The plot's name is the field's.
Plot field_plot(const std::string& name, const ParticleField& field, int bins = 64);

}  // namespace haloscope::analysis
