#pragma once

#include "compute/halos/halo_finder.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::halos {

// Shares the first `count` halos among rounds so that within one round no two have linked members
// within `length` of each other (world length, in the torus of the input's domain): what is
// searched round by round never sees another halo's particles. Returns the round of each halo, from
// 0; halos with nobody near are in round 0. Halos count as near when their members lie in the same
// or in adjacent cells of at least that length, so that some are told apart without need. Takes up
// to 64 bytes per halo and cell that it touches, and 8 per pair of halos in neighboring cells.
std::vector<std::uint32_t> rounds_apart(const FinderInput& input, const HaloMembership& halos,
                                        std::uint64_t count, double length);

}  // namespace haloscope::compute::halos
