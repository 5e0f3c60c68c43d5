#pragma once

#include "analysis/finder.h"

#include <memory>

namespace haloscope::analysis {

// Clusters of particles by single linkage and HDBSCAN*, as `haloscope clusters` finds them; the
// options are ClustersOptions.
std::shared_ptr<const Finder> make_clusters_finder();

}  // namespace haloscope::analysis
