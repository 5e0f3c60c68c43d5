#pragma once

#include "core/host_device.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace haloscope::compute::spatial {

// A place in the lattice of a domain, or the three words that one is stored in.
struct FixedPoint {
  std::uint32_t x, y, z;
};

// So many points, one after the other in Morton order, are a block.
inline constexpr std::uint32_t kPointBlock = 256;

// What the words of a block of packed points are relative to. The lower bits of a point's three
// words are its offsets from the block's low corner. The upper `spare` bits of each are a third of
// a code of the point's radius. The code is the radius's bits as a float, less those of the block's
// smallest radius, without the lowest `shift` bits, rounded: floats are logarithms nearly, so that
// the error is a part of the radius, and decoding takes no exponential function.
struct alignas(16) PointBlock {
  std::uint32_t low[3];
  std::uint32_t least;  // bits of the smallest radius
  std::uint32_t spare;  // 0: the block is loose, with coordinates as words and radii elsewhere
  std::uint32_t shift;
  std::uint32_t loose;  // how many loose blocks lie before it
  std::uint32_t unused;

  HALOSCOPE_HD bool is_loose() const { return spare == 0; }
  HALOSCOPE_HD std::uint32_t coordinate(int axis, std::uint32_t word) const {
    return low[axis] + (word & (~0u >> spare));
  }
  HALOSCOPE_HD FixedPoint place(const FixedPoint& words) const {
    return {coordinate(0, words.x), coordinate(1, words.y), coordinate(2, words.z)};
  }
  // Not of loose blocks.
  HALOSCOPE_HD float radius(const FixedPoint& words) const {
    const std::uint32_t bits = 32 - spare;
    const std::uint32_t code =
        (((words.x >> bits) << spare | words.y >> bits) << spare) | words.z >> bits;
    return std::bit_cast<float>(least + (code << shift));
  }
};

// Positions where an executor reads them. Whoever reads does so by at(), so that positions can be
// stored in another way without other readers.
struct Positions {
  const std::uint32_t* x = nullptr;
  const std::uint32_t* y = nullptr;
  const std::uint32_t* z = nullptr;
  const PointBlock* blocks = nullptr;  // null: points are not packed, and words are coordinates

  HALOSCOPE_HD FixedPoint words(std::size_t i) const { return {x[i], y[i], z[i]}; }
  HALOSCOPE_HD FixedPoint at(std::size_t i) const {
    return blocks ? blocks[i / kPointBlock].place(words(i)) : words(i);
  }
};

// The same with the row that each point has in the columns which the points came from.
struct PointsView {
  Positions position;
  const std::uint32_t* rows = nullptr;  // null: points lie in the order of the rows
  std::uint32_t count = 0;
  bool in_morton_order = false;

  HALOSCOPE_HD FixedPoint at(std::size_t i) const { return position.at(i); }
  HALOSCOPE_HD std::uint32_t row(std::size_t i) const { return rows ? rows[i] : std::uint32_t(i); }
};

}  // namespace haloscope::compute::spatial
