#pragma once

#include "compute/exec/ranks.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// For each of a rank's values its place among the different values of all ranks, from 0 on.
// `values`: ascending, each once; other ranks may have the same ones. At most 2³² − 2 in all. A
// rank looks at a stretch of the values, and none holds all. All ranks call it.
std::vector<std::uint32_t> places_of_values(Ranks& ranks, const std::vector<std::uint64_t>& values);

}  // namespace haloscope::compute::distributed
