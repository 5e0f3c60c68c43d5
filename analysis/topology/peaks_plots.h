#pragma once

#include "analysis/plot.h"
#include "analysis/topology/persistence_diagram.h"
#include "analysis/topology/structures.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// persistence_diagram: the values at which branches begin and end; persistence_curve: how many
// persist as much; betti_0: how many components there are above each level. Pairs of zero
// persistence are left out, and those that never end from the first two.
std::vector<Plot> peaks_plots(const GridTree& tree, const Structures& found,
                              const PersistenceDiagram& diagram, const std::string& snapshot);
// The same at another threshold: what does not depend on it is taken from the plots of the same
// tree.
std::vector<Plot> peaks_plots_again(const std::vector<Plot>& former, const GridTree& tree,
                                    const Structures& found, const PersistenceDiagram& diagram,
                                    const std::string& snapshot);

}  // namespace haloscope::analysis
