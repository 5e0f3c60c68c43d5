#pragma once

#include "core/array.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haloscope::compute::halos {

// The order of halos: by decreasing number of members, those of the same size in the order of their
// labels, so that it hangs on the particles alone; or in the order of their labels.
enum class HaloOrder { BySize, ByLabel };

// Which particles are whose. One list: halo after
// halo, in each kind after kind, in each ascending rows. Each halo, and each kind in it, is then
// one run, of which sums over equal pieces need no index.
struct HaloMembership {
  LargeVector<std::uint32_t> rows;   // within the kind
  std::vector<std::uint64_t> begin;  // of run halo · kinds + kind in `rows`, and the end

  std::uint64_t halos(std::size_t kinds) const {
    return begin.size() < 2 || kinds == 0 ? 0 : (begin.size() - 1) / kinds;
  }
  std::span<const std::uint32_t> run(std::uint64_t halo, std::size_t kind,
                                     std::size_t kinds) const {
    const std::size_t at = std::size_t(halo) * kinds + kind;
    return {rows.data() + begin[at], rows.data() + begin[at + 1]};
  }
  std::uint64_t members(std::uint64_t halo, std::size_t kinds) const {
    return begin[std::size_t(halo + 1) * kinds] - begin[std::size_t(halo) * kinds];
  }
};

// Gathers the particles of each label that has at least `min_members` over all kinds together.
// `labels`: per kind, per particle a number below `label_count`, or kNoise (clustering.h); none for
// a kind without members. Takes 4 bytes per label beside the result, 8 where there are 2³²
// particles or more, and 8 per halo and kind.
HaloMembership gather_members(const std::vector<std::span<const std::uint32_t>>& labels,
                              std::uint64_t label_count, std::uint64_t min_members,
                              HaloOrder order = HaloOrder::BySize);

}  // namespace haloscope::compute::halos
