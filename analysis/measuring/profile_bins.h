#pragma once

#include "analysis/measuring/radial_profile.h"
#include "analysis/measuring/radial_sums.h"

#include <vector>

namespace haloscope::analysis {

// What the sums of one type, or of all, say of each bin. Of `profile` the edges and the limits of
// trust are needed. `has_mass`: false leaves density and mass unknown.
std::vector<ProfileBin> bins_of_profile(const RadialBins& sums, const RadialProfile& profile,
                                        bool has_mass);

}  // namespace haloscope::analysis
