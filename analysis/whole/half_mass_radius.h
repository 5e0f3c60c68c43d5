#pragma once

#include "core/particles.h"
#include "core/vector.h"

namespace haloscope::analysis {

// The distance from `center` within which half of the mass of all types lies, world lengths; in a
// periodic domain each particle counts where its nearest copy is. Exact to 2^-40 of the domain's
// side. 0 where there is no mass.
double half_mass_radius(const ParticleSet& particles, const Vec& center);

}  // namespace haloscope::analysis
