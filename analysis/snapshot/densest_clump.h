#pragma once

#include "compute/exec/ranks.h"
#include "core/domain.h"
#include "core/particles.h"
#include "core/vector.h"

#include <optional>
#include <vector>

namespace haloscope::analysis {

// The middle of the densest large clump of the particles of `types`: a sphere shrinks around its
// own center of mass until a hundredth of the particles is left in it (Power et al. 2003, MNRAS
// 338, 14). Across the edges of a periodic domain. Nothing where there are no particles.
//
// Of many particles a sample is looked at, and each counts alike: those of one resolution differ
// little. Known weakness: particles spread over the whole of a periodic box have no middle, and get
// some place. `ranks`: each with its part of the particles; all call it, and get the same.
struct DensestClump {
  Vec center{0, 0, 0};
  double reach = 0;  // the distance from there that few particles exceed
};
std::optional<DensestClump> densest_clump(const Domain& domain,
                                          const std::vector<const ParticleColumns*>& types,
                                          compute::Ranks& ranks = compute::alone());

}  // namespace haloscope::analysis
