#pragma once

#include "core/particles.h"

#include <string>
#include <vector>

namespace haloscope::app {

// A particle whose field is not a number has no part in a mean. Its mass
// becomes 0.
void leave_out_undefined(ParticleSet& particles, const std::string& name);

// Stars, and what else is not a fluid: estimated lengths are those of the few crowded places, and
// far too long for the many particles between them.
bool is_compact(const ParticleColumns& columns);

// No length above their median, nor above a small part of what is shown, so that a lone star is a
// point and not a disk.
void cap_compact(std::vector<float>& radii, double longest);

}  // namespace haloscope::app
