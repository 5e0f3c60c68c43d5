#pragma once

#include "core/particles.h"
#include "render/camera.h"

#include <optional>
#include <vector>

namespace haloscope::render {

// The cube around nearly all particles of `types`, with their densest large clump in its middle: a
// sphere shrinks around its own center of mass until a hundredth of the particles is left in it
// (Power et al. 2003, MNRAS 338, 14), and the cube's half side is the distance from there that few
// particles exceed. Across the edges of a periodic domain. Nothing where there are no particles.
//
// Of many particles a sample is looked at, and each counts alike: those of one resolution differ
// little. Known weakness: particles spread over the whole of a periodic box have no middle, and get
// some cube.
std::optional<Bounds> shrinking_sphere(const Domain& domain,
                                       const std::vector<const ParticleColumns*>& types);

}  // namespace haloscope::render
