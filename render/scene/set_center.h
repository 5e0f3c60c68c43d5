#pragma once

#include "analysis/selection/set_members.h"
#include "analysis/snapshot/snapshot_options.h"
#include "core/progress.h"
#include "core/vector.h"

#include <cstddef>
#include <optional>

namespace haloscope::render {

// The center of mass of the densest large clump of a set's particles, of all types alike
// (shrinking_sphere); code units, across the edges of a periodic box. Reads the positions again.
// Nothing where no particle is in the set. Throws as io::load_particles.
std::optional<Vec> center_of_set(const analysis::SetMembers& members, std::size_t set,
                                 const analysis::SnapshotOptions& said, Progress& progress);

}  // namespace haloscope::render
