#pragma once

#include "compute/exec/buffer.h"
#include "compute/spatial/points_view.h"

#include <thrust/scan.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

// Points in Morton order packed with a radius each, block by block where they lie. Coordinates come
// back bit for bit, radii within 2⁻¹⁷ of themselves. Blocks that are too wide for that, or whose
// radii differ too much, stay as they are, and their radii are kept apart.
namespace haloscope::compute::spatial {

// With so many bits left out a radius is off by 2⁻¹⁷ of itself: a color by local density by 1e-5
// decades. Its limits would have to be 0.0025 decades apart for 1/255 of the palette.
inline constexpr std::uint32_t kMostShift = 7;
// More would not make a code longer than the 30 bits in which nearly all radii are exact.
inline constexpr std::uint32_t kMostSpare = 10;

HALOSCOPE_HD inline std::uint32_t radius_code(std::uint32_t bits_above_least, std::uint32_t shift) {
  if (shift == 0) return bits_above_least;
  return (bits_above_least >> shift) + (bits_above_least >> (shift - 1) & 1);
}

// The block of points that lie between two corners and have radii whose bits lie between two
// values. Radii that are negative or no numbers have larger bits than others, and are packed only
// where that loses nothing.
HALOSCOPE_HD inline PointBlock pack_block(const FixedPoint& low, const FixedPoint& high,
                                          std::uint32_t least, std::uint32_t most) {
  constexpr std::uint32_t kSmallestNormal = 0x00800000, kNearInfinity = 0x7f000000;
  PointBlock block{};
  const std::uint32_t extent = (high.x - low.x) | (high.y - low.y) | (high.z - low.z);
  std::uint32_t spare = 0;
  while (spare < kMostSpare && extent >> (31 - spare) == 0) ++spare;
  if (spare == 0) return block;
  std::uint32_t shift = 0;
  while (radius_code(most - least, shift) >> (3 * spare) != 0) ++shift;
  if (shift > kMostShift || (shift > 0 && (least < kSmallestNormal || most > kNearInfinity)))
    return block;
  block.low[0] = low.x;
  block.low[1] = low.y;
  block.low[2] = low.z;
  block.least = least;
  block.spare = spare;
  block.shift = shift;
  return block;
}

struct PlanBlock {
  Positions position;
  const float* radius;
  std::size_t count;
  PointBlock* blocks;
  std::uint32_t* loose;  // 1 for each loose block
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const std::size_t first = b * kPointBlock, end = first + kPointBlock;
    FixedPoint low{~0u, ~0u, ~0u}, high{0, 0, 0};
    std::uint32_t least = ~0u, most = 0;
    const auto widen = [](std::uint32_t value, std::uint32_t& from, std::uint32_t& to) {
      from = value < from ? value : from;
      to = value > to ? value : to;
    };
    for (std::size_t i = first; i < end && i < count; ++i) {
      const FixedPoint p = position.words(i);
      widen(p.x, low.x, high.x);
      widen(p.y, low.y, high.y);
      widen(p.z, low.z, high.z);
      widen(std::bit_cast<std::uint32_t>(radius[i]), least, most);
    }
    blocks[b] = pack_block(low, high, least, most);
    loose[b] = blocks[b].is_loose() ? 1 : 0;
  }
};

struct PackBlock {
  std::uint32_t *x, *y, *z;
  const float* radius;
  std::size_t count;
  const std::uint32_t* before;  // loose blocks before each
  PointBlock* blocks;
  float* loose;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const std::size_t first = b * kPointBlock;
    const std::size_t size = count - first < kPointBlock ? count - first : kPointBlock;
    PointBlock& stored = blocks[b];
    stored.loose = before[b];
    const PointBlock block = stored;
    if (block.is_loose()) {
      float* const to = loose + std::size_t(block.loose) * kPointBlock;
      for (std::size_t k = 0; k < size; ++k) to[k] = radius[first + k];
      return;
    }
    const std::uint32_t spare = block.spare, bits = 32 - spare;
    for (std::size_t i = first; i < first + size; ++i) {
      const std::uint32_t code =
          radius_code(std::bit_cast<std::uint32_t>(radius[i]) - block.least, block.shift);
      // What is above a word's own third falls off its end.
      x[i] = (x[i] - block.low[0]) | (code >> (2 * spare)) << bits;
      y[i] = (y[i] - block.low[1]) | (code >> spare) << bits;
      z[i] = (z[i] - block.low[2]) | code << bits;
    }
  }
};

// Blocks of packed points, and the radii of those that are loose: kPointBlock each.
template <class Exec>
struct PackedBlocks {
  Buffer<PointBlock, Exec> blocks;
  Buffer<float, Exec> loose;  // never empty
};

// Packs `count` > 0 points in Morton order. Where memory runs out nothing has changed.
template <class Exec>
PackedBlocks<Exec> pack_points(Exec& exec, std::uint32_t* const axes[3], const float* radius,
                               std::size_t count) {
  const std::size_t n = (count + kPointBlock - 1) / kPointBlock;
  PackedBlocks<Exec> packed;
  packed.blocks = Buffer<PointBlock, Exec>(exec, n, "blocks of particles");
  Buffer<std::uint32_t, Exec> before(exec, n + 1, "blocks of particles");
  exec.zero(before.data() + n, sizeof(std::uint32_t));
  parallel_for(
      exec, "pack particles", n,
      PlanBlock{{axes[0], axes[1], axes[2]}, radius, count, packed.blocks.data(), before.data()});
  thrust::exclusive_scan(exec.policy(), before.data(), before.data() + n + 1, before.data());
  std::uint32_t loose = 0;
  exec.download(&loose, before.data() + n, sizeof(loose));
  packed.loose = Buffer<float, Exec>(
      exec, std::max<std::size_t>(1, std::size_t(loose) * kPointBlock), "radii");
  parallel_for(exec, "pack particles", n,
               PackBlock{axes[0], axes[1], axes[2], radius, count, before.data(),
                         packed.blocks.data(), packed.loose.data()});
  exec.synchronize();
  return packed;
}

}  // namespace haloscope::compute::spatial
