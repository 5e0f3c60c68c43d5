#pragma once

#include "compute/splotch/layer.h"

#include <cstddef>

namespace haloscope::compute::splotch {

// Makes the splats of particles [first, last) of a layer, the active ones only, one after the
// other; returns how many. Adds to `by_class` how many fell in each Class, and to `radius_sum` the
// radii of the active ones.
template <Mode M>
std::size_t make_splats_on_cpu(const Projector<Real<M>>& projector, const Layer& layer,
                               float large_radius, std::size_t first, std::size_t last, Splat* out,
                               std::uint64_t by_class[4], double& radius_sum);

}  // namespace haloscope::compute::splotch
