#pragma once

#include "compute/splotch/layer.h"

#include <cstddef>

namespace haloscope::compute::splotch {

// What a batch of particles came to.
struct SplatTally {
  std::uint64_t by_class[4] = {};  // particles in each Class
  double radius_sum = 0;           // of the active ones, pixels
  double updates = 0;              // pixel updates: 1 per small particle, πr² per other

  SplatTally& operator+=(const SplatTally& other) {
    for (int c = 0; c < 4; ++c) by_class[c] += other.by_class[c];
    radius_sum += other.radius_sum;
    updates += other.updates;
    return *this;
  }
};

// Makes the splats of particles [first, last) of a layer, the active ones only, one after the
// other; returns how many, and adds to the tally.
template <Mode M>
std::size_t make_splats_on_cpu(const Projector<Real<M>>& projector, const Layer& layer,
                               float large_radius, std::size_t first, std::size_t last, Splat* out,
                               SplatTally& tally);

}  // namespace haloscope::compute::splotch
