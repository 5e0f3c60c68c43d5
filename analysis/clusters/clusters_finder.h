#pragma once

#include "analysis/finder.h"

#include <memory>

namespace haloscope::compute {
class Ranks;
}

namespace haloscope::analysis {

// Clusters of particles by single linkage and HDBSCAN*, as `haloscope clusters` finds them; the
// options are ClustersOptions. `ranks`: they find them together, as find_clusters() says, and
// outlive it; null: this process alone does.
std::shared_ptr<const Finder> make_clusters_finder(compute::Ranks* ranks = nullptr);

}  // namespace haloscope::analysis
