#pragma once

#include "compute/exec/ranks.h"
#include "core/particles.h"

#include <span>
#include <string>

namespace haloscope::render {

// Replaces what would spoil a picture: masses that are negative or not finite become 0, smoothing
// lengths that are not finite become 0 (the renderer then estimates them). The loader has said so.
void clean_columns(ParticleSet& particles);

// A particle whose field is not a number has no part in a mean. Its mass
// becomes 0. `ranks`: each with its part of the particles.
void leave_out_undefined(ParticleSet& particles, const std::string& name,
                         compute::Ranks& ranks = compute::alone());

// Mass of all particles of all types, code masses. `ranks`: as analysis::total_mass().
double total_mass(const ParticleSet& particles, compute::Ranks& ranks = compute::alone());

// Stars, and what else is not a fluid, by the number of their look (look_of): lengths that are not
// the file's are those of the few crowded places, and far too long for the many particles between
// them.
bool is_compact(int look);

// No length above the median of those above 0, nor above a small part of what is shown, so that a
// lone star is a point and not a disk. `ranks`: each with its part of them.
void cap_compact(std::span<float> radii, double longest, compute::Ranks& ranks = compute::alone());

}  // namespace haloscope::render
