#pragma once

#include "app/catalog_comparison.h"
#include "core/halo_catalog.h"

namespace haloscope::app {

// How many members the two halos of each pair have in common, by ID, of the types that both
// catalogs list. Nothing where there are no such types.
std::optional<MemberComparison> compare_members(const HaloMembers& first, const HaloMembers& second,
                                                const std::vector<HaloPair>& pairs);

}  // namespace haloscope::app
