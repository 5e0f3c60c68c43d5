#pragma once

#include <cstdint>
#include <vector>

namespace haloscope::compute::halos {

// Which particles are whose, halo after halo by decreasing number of members; halos of the same
// size in the order of their labels, so that the order hangs on the particles alone.
struct Membership {
  // Of one kind of particles, in the order in which the kinds were given: the rows of halo h are
  // rows[offset[h]] … rows[offset[h + 1] − 1], ascending.
  struct Kind {
    std::vector<std::uint64_t> offset;  // halos + 1
    std::vector<std::uint32_t> rows;
    std::uint64_t length(std::uint64_t halo) const { return offset[halo + 1] - offset[halo]; }
  };
  std::vector<Kind> kinds;

  std::uint64_t halos() const { return kinds.empty() ? 0 : kinds.front().offset.size() - 1; }
  std::uint64_t members(std::uint64_t halo) const {
    std::uint64_t n = 0;
    for (const auto& kind : kinds) n += kind.length(halo);
    return n;
  }
};

// Gathers the particles of each label that has at least `min_members` over all kinds together.
// `labels`: per kind, per particle a number below `label_count`, or kNoise (clustering.h). Takes
// 8 bytes per label and 4 per particle beside the result.
Membership gather_members(const std::vector<std::vector<std::uint32_t>>& labels,
                          std::uint64_t label_count, std::uint64_t min_members);

}  // namespace haloscope::compute::halos
