#pragma once

#include "compute/distributed/domains.h"
#include "compute/exec/ranks.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// Of the points of all ranks in Morton order, those at one place in the order of the ranks' rows,
// the values of points 0, stride, 2 · stride …: on all ranks. `values`: of this rank's points. All
// ranks call it. Holds some 30 bytes a point meanwhile.
std::vector<float> sample_along_curve(Ranks& ranks, const PointPart& own, const float* values,
                                      std::uint64_t stride);

}  // namespace haloscope::compute::distributed
