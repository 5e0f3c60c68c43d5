#pragma once

#include "compute/exec/ranks.h"
#include "core/particles.h"
#include "core/progress.h"

#include <vector>

namespace haloscope::analysis {

// Whether the file has smoothing lengths of a type, of which each rank has a part: a rank without
// any particle cannot tell. All ranks call it.
bool has_lengths(compute::Ranks& ranks, const ParticleColumns& own);

// What smoothing lengths are searched in, on each rank: the positions of all ranks' particles, in
// the order of the ranks, and their stored lengths where there are some. Only of the types that are
// `wanted`; of the others a type without particles and with lengths of its own. All ranks call it.
// Throws Error where a machine has no room for that, 12 bytes a particle and as much again three
// times to sort them, once for each of its ranks.
ParticleSet places_of_ranks(compute::Ranks& ranks, const ParticleSet& own,
                            const std::vector<bool>& wanted, Progress& progress);

}  // namespace haloscope::analysis
