#pragma once

#include "analysis/clusters/clusters_options.h"
#include "core/particles.h"
#include "core/snapshot_info.h"

#include <vector>

// Masses as the weights of a snapshot's particles.
namespace haloscope::analysis {

// Throws OptionError for weights other than masses, and for those of types whose masses the file
// does not tell.
void check_mass_weights(const SnapshotInfo& info, const std::vector<int>& types,
                        const ClustersOptions& options);

// Of the particles type after type, code masses. Throws OptionError for masses that are not finite
// or negative, and where all are 0.
std::vector<double> mass_weights(const std::vector<const ParticleColumns*>& types);

}  // namespace haloscope::analysis
