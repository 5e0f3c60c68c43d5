#pragma once

#include "compute/splotch/levels.inl"
#include "core/array.h"

#include <array>
#include <cstddef>
#include <vector>

namespace haloscope::compute::splotch {

// Some splats one after the other; `wide`: how many of them are to be drawn on levels.
struct SplatBlock {
  const Splat* splats;
  std::size_t count;
  std::size_t wide;
};

// Where each level's splats end in the sorted array, and which cells of the level they reach.
struct LevelParts {
  std::array<std::size_t, kMostLevels + 1> ends{};
  std::array<CellBox, kMostLevels + 1> boxes{};

  std::size_t begin(int k) const { return k == 0 ? 0 : ends[std::size_t(k) - 1]; }
  std::size_t count(int k) const { return ends[std::size_t(k)] - begin(k); }
};

// Copies the splats of the blocks to `out`, which has room for all: first those of the picture,
// then those of each level in its cells, each in the order of the blocks.
LevelParts sort_by_level(const std::vector<SplatBlock>& blocks, int width, int height, int coarsest,
                         Splat* out);

}  // namespace haloscope::compute::splotch
