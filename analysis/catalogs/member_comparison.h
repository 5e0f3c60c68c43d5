#pragma once

#include "analysis/catalogs/catalog_comparison.h"
#include "core/halo_catalog.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::analysis {

// How many members the two halos of each pair have in common, by ID, of the types that both
// catalogs list. Nothing where there are no such types.
std::optional<MemberComparison> compare_members(const HaloMembers& first, const HaloMembers& second,
                                                const std::vector<HaloPair>& pairs);

// Of the halos that are in none of the pairs: rows of those of which each has more than half of its
// members in common with the other, by ID, of the types that both catalogs list. Throws Error where
// memory does not hold the IDs.
std::vector<std::array<std::uint64_t, 2>> pairs_by_members(const HaloMembers& first,
                                                           const HaloMembers& second,
                                                           const std::vector<HaloPair>& pairs);

}  // namespace haloscope::analysis
