#include "compute/splotch/sort_by_level.h"

#include <tbb/parallel_for.h>

#include <algorithm>

namespace haloscope::compute::splotch {

namespace {

constexpr std::size_t kStack = kMostLevels + 1;
using ByLevel = std::array<std::size_t, kStack>;

ByLevel count_by_level(const SplatBlock& block, int coarsest) {
  ByLevel counts{};
  counts[0] = block.count - block.wide;
  if (block.wide == 0) return counts;
  counts[0] = 0;
  for (std::size_t i = 0; i < block.count; ++i)
    ++counts[std::size_t(level_of(block.splats[i].radius, coarsest))];
  return counts;
}

// The cells of a level, whose size is given, that a splat reaches.
CellBox box_of(const Splat& s, const Cells& size) {
  const PixelRange x = pixel_range(s.ix, s.fx, s.radius, 0, size.width);
  const PixelRange y = pixel_range(s.iy, s.fy, s.radius, 0, size.height);
  return {x.first - size.margin, y.first - size.margin, x.last + 1 - size.margin,
          y.last + 1 - size.margin};
}

}  // namespace

LevelParts sort_by_level(const std::vector<SplatBlock>& blocks, int width, int height, int coarsest,
                         Splat* out) {
  std::vector<ByLevel> places(blocks.size());
  ::tbb::parallel_for(std::size_t(0), blocks.size(),
                      [&](std::size_t b) { places[b] = count_by_level(blocks[b], coarsest); });
  LevelParts parts;
  std::size_t end = 0;
  for (std::size_t k = 0; k < kStack; ++k) {
    for (ByLevel& place : places) {
      const std::size_t count = place[k];
      place[k] = end;
      end += count;
    }
    parts.ends[k] = end;
  }
  std::array<Cells, kStack> sizes;
  for (std::size_t k = 1; k < kStack; ++k) sizes[k] = level_size(width, height, int(k));
  std::vector<std::array<CellBox, kStack>> boxes(blocks.size());
  ::tbb::parallel_for(std::size_t(0), blocks.size(), [&](std::size_t b) {
    const SplatBlock& block = blocks[b];
    if (block.wide == 0) {
      std::copy_n(block.splats, block.count, out + places[b][0]);
      return;
    }
    for (std::size_t i = 0; i < block.count; ++i) {
      const Splat& s = block.splats[i];
      const int k = level_of(s.radius, coarsest);
      Splat& made = out[places[b][std::size_t(k)]++];
      if (k == 0) {
        made = s;
      } else {
        made = on_level(s, k);
        boxes[b][std::size_t(k)].include(box_of(made, sizes[std::size_t(k)]));
      }
    }
  });
  for (const auto& of_block : boxes)
    for (std::size_t k = 1; k < kStack; ++k) parts.boxes[k].include(of_block[k]);
  return parts;
}

}  // namespace haloscope::compute::splotch
