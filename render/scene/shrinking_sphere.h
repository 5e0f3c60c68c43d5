#pragma once

#include "compute/exec/ranks.h"
#include "core/particles.h"
#include "render/camera.h"

#include <optional>
#include <vector>

namespace haloscope::render {

// The cube around nearly all particles of `types`, with the middle of their densest large clump
// (analysis::densest_clump) in its middle. Nothing where there are no particles.
std::optional<Bounds> shrinking_sphere(const Domain& domain,
                                       const std::vector<const ParticleColumns*>& types,
                                       compute::Ranks& ranks = compute::alone());

}  // namespace haloscope::render
