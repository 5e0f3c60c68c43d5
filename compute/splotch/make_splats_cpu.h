#pragma once

#include "compute/splotch/layer.h"
#include "compute/splotch/splat_tally.h"

#include <cstddef>

namespace haloscope::compute::splotch {

// Makes the splats of particles [first, last) of a layer, the active ones only, one after the
// other; returns how many, and adds to the tally.
template <Mode M>
std::size_t make_splats_on_cpu(const Projector<Real<M>>& projector, const Layer& layer,
                               float large_radius, std::size_t first, std::size_t last, Splat* out,
                               SplatTally& tally);

}  // namespace haloscope::compute::splotch
