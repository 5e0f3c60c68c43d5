#pragma once

#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/dendrogram.h"
#include "compute/spatial/block_tree.inl"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// Points and blocks with the components that they belong to, while a spanning tree grows.
namespace haloscope::compute::clusters {

using hierarchy::ends_key;
using hierarchy::kNoEdge;
using hierarchy::kNone;
using spatial::BlockTreeView;
using spatial::kFan;
using spatial::LatticePoint;

template <int D>
struct TreeOfColors {
  BlockTreeView<D> tree;
  const std::uint64_t* core;         // null: the tree is of distances
  const std::uint32_t* color;        // of points
  const std::uint32_t* block_color;  // kNone: of several
  const std::uint32_t* least_row;    // of each block

  HALOSCOPE_HD std::uint64_t core_of(std::uint32_t i) const { return core ? core[i] : 0; }
  HALOSCOPE_HD std::uint64_t weight(std::uint32_t i, std::uint32_t j) const {
    const std::uint64_t squared = squared_between(tree.points[i], tree.points[j]);
    const std::uint64_t a = core_of(i), b = core_of(j);
    const std::uint64_t most = a < b ? b : a;
    return squared < most ? most : squared;
  }
  HALOSCOPE_HD std::uint64_t ends(std::uint32_t i, std::uint32_t j) const {
    return ends_key(tree.points[i].row, tree.points[j].row);
  }
};

// The color of a block, where it has one.
template <int D>
struct ColorBlocks {
  BlockTreeView<D> tree;
  const std::uint32_t* color;
  std::uint32_t* block_color;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const auto block = std::uint32_t(b);
    const std::uint32_t first = color[block * kFan];
    bool one = true;
    for (std::uint32_t i = block * kFan + 1, end = tree.end_of(block); i < end; ++i)
      one = one && color[i] == first;
    block_color[block] = one ? first : kNone;
  }
};

struct ColorUpperBlocks {
  spatial::BlockLevels levels;
  int level;
  std::uint32_t* block_color;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const std::uint32_t* const below = block_color + levels.begin[level - 1];
    const auto begin = std::uint32_t(b) * kFan;
    const std::uint32_t first = below[begin];
    bool one = true;
    for (std::uint32_t k = 1; k < kFan && begin + k < levels.blocks[level - 1]; ++k)
      one = one && below[begin + k] == first;
    block_color[levels.begin[level] + b] = one ? first : kNone;
  }
};

template <int D>
struct LeastRows {
  BlockTreeView<D> tree;
  std::uint32_t* least_row;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    std::uint32_t least = kNone;
    const auto block = std::uint32_t(b);
    for (std::uint32_t i = block * kFan, end = tree.end_of(block); i < end; ++i)
      least = tree.points[i].row < least ? tree.points[i].row : least;
    least_row[block] = least;
  }
};

struct LeastUpperRows {
  spatial::BlockLevels levels;
  int level;
  std::uint32_t* least_row;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const std::uint32_t* const below = least_row + levels.begin[level - 1];
    const auto begin = std::uint32_t(b) * kFan;
    std::uint32_t least = kNone;
    for (std::uint32_t k = 0; k < kFan && begin + k < levels.blocks[level - 1]; ++k)
      least = below[begin + k] < least ? below[begin + k] : least;
    least_row[levels.begin[level] + b] = least;
  }
};

}  // namespace haloscope::compute::clusters
