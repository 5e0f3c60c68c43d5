#pragma once

#include "analysis/selection/selection_count.h"
#include "core/progress.h"
#include "io/loading/particle_filter.h"
#include "io/loading/selection.h"

#include <memory>

namespace haloscope::analysis {

// A selection as `haloscope convert` takes it.
struct ChosenParticles {
  io::Selection selection;
  io::ParticleFilter filter;
  std::shared_ptr<const FollowedIds> ids;  // where they were needed
};

// By place or value as it stands; a piece's members, and particles that are followed, by IDs, which
// are read of the snapshot that the selection was made in where they are not known yet. Throws
// Error for a piece that is not there or of another snapshot, and where there are no IDs.
ChosenParticles chosen_particles(const SelectionRequest& request, Progress& progress);

}  // namespace haloscope::analysis
