#pragma once

#include <cstdint>

namespace haloscope::compute::clusters {

// The largest squared distance, in lattice steps of `step` world lengths, of two points that a
// search of clusters with this linking length takes for near (clustering.h). A cut of a spanning
// tree at this limit has the same groups, also where a distance is the length to the last digits.
std::uint64_t squared_cut_limit(double length, double step);

}  // namespace haloscope::compute::clusters
