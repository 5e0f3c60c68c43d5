#pragma once

#include "analysis/plot.h"
#include "analysis/topology/structures.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// persistence_diagram: the values at which branches begin and end; persistence_curve: how many
// persist as much; betti_0: how many components there are above each level. Pairs of zero
// persistence are left out, and those that never end from the first two.
std::vector<Plot> peaks_plots(const GridTree& tree, const Structures& found,
                              const std::string& snapshot);

}  // namespace haloscope::analysis
