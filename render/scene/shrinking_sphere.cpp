#include "render/scene/shrinking_sphere.h"

#include "analysis/snapshot/densest_clump.h"

namespace haloscope::render {

std::optional<Bounds> shrinking_sphere(const Domain& domain,
                                       const std::vector<const ParticleColumns*>& types,
                                       compute::Ranks& ranks) {
  const auto clump = analysis::densest_clump(domain, types, ranks);
  if (!clump) return {};
  Bounds bounds;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    bounds.low[axis] = clump->center[axis] - clump->reach;
    bounds.high[axis] = clump->center[axis] + clump->reach;
  }
  return bounds;
}

}  // namespace haloscope::render
