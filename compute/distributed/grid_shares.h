#pragma once

#include "compute/distributed/grid_slabs.h"
#include "compute/exec/ranks.h"
#include "compute/grids/density_grid.h"

#include <cstdint>
#include <vector>

namespace haloscope::compute::distributed {

// Whatever goes to a rank of one particle; columns that the type lacks are of no account.
struct SentShare {
  std::uint32_t x, y, z;
  float mass, field, radius;
};

// What a type has on any of the ranks: one that has no particles of it here knows nothing.
struct KnownOfType {
  bool in_sums = true, masses = false, radii = false;
  double uniform_mass = 1;
};

// Sends particles to the ranks among whose planes of a grid they are shared.
class SharesOfRanks {
 public:
  SharesOfRanks(Ranks& ranks, const grids::GridRequest& request);

  // The planes of each rank.
  const std::vector<Planes>& planes() const { return planes_; }

  // All ranks call these. Rows [begin, end) of a type go where they are needed; returns what has
  // come.
  KnownOfType known_of(const grids::GridPoints& type) const;
  std::vector<SentShare> exchange(const grids::GridPoints& type, std::uint64_t begin,
                                  std::uint64_t end) const;

 private:
  Ranks& ranks_;
  const grids::GridRequest& request_;
  std::vector<Planes> planes_;  // by rank
};

}  // namespace haloscope::compute::distributed
