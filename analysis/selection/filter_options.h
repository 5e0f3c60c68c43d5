#pragma once

#include "core/snapshot_info.h"
#include "io/loading/particle_filter.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// What the user asks of particles beside the region.
struct FilterOptions {
  io::ParticleFilter filter;
  std::string ids_of;  // a snapshot whose particles are sought by their IDs; empty: none
};

// The filter with names of fields as the snapshot has them. Throws Error for a field that no type
// has.
io::ParticleFilter named_filter(const SnapshotInfo& info, const std::vector<int>& types,
                                io::ParticleFilter filter);

}  // namespace haloscope::analysis
