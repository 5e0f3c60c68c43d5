#pragma once

#include "compute/exec/ranks.h"
#include "core/particles.h"

#include <vector>

// How the particles of some types lie in their periodic box, and what they weigh: those of all
// ranks, of which each has a part.
namespace haloscope::analysis {

// Whether every cell of a grid of 4³ over the box holds one of them: those of a zoom simulation, a
// cut-out or a single object leave most cells empty.
bool fills_box(const ParticleSet& particles, const std::vector<int>& types,
               compute::Ranks& ranks = compute::alone());

// Whether all have the same mass, but for rounding.
bool have_equal_masses(const ParticleSet& particles, const std::vector<int>& types,
                       compute::Ranks& ranks = compute::alone());

}  // namespace haloscope::analysis
