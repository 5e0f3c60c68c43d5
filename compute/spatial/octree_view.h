#pragma once

#include "compute/spatial/morton.h"
#include "core/host_device.h"

#include <cstdint>

namespace haloscope::compute::spatial {

// What lies in an octant of a node: nothing, a node by its number, or a leaf by its number with
// kOctreeLeaf set.
using OctreeRef = std::uint32_t;
inline constexpr OctreeRef kNoOctreeRef = ~OctreeRef(0);
inline constexpr OctreeRef kOctreeLeaf = OctreeRef(1) << 31;
inline constexpr std::uint64_t kMostOctreeBodies = kOctreeLeaf - 1;

// Levels of a tree: the root is on level 0, cells of level d have 2⁻ᵈ of the domain's side. Cells
// of the deepest level are never divided. A Morton code holds so many levels.
inline constexpr int kMostOctreeDepth = kMortonBits / 3;

// The octant on `level` (from 1 on) of the parent's cell that a code lies in: x counts four, y two.
HALOSCOPE_HD inline std::uint32_t octant_of(std::uint64_t code, int level) {
  return std::uint32_t(code >> 3 * (kMostOctreeDepth - level)) & 7;
}

struct alignas(32) OctreeNode {
  OctreeRef child[8];  // by octant
};

// Sums over all bodies of a node or leaf. Lengths are steps of the lattice.
struct OctreeSums {
  double mass;
  double center[3];  // of mass, in the lattice; where there is no mass, the mean place
  // Mean of d dᵀ, d from the center, weighted as the center is: xx, xy, xz, yy, yz, zz.
  float spread[6];
  float light[3];
  float radius;  // the largest
};

// A tree where its executor reads it. Bodies lie in Morton order, those of one code by their index;
// leaves are numbered in the order of their bodies; nodes level by level, and within a level in the
// order of their bodies. So a set has one tree, however that was built.
//
// A node is a cell of more bodies than a leaf holds. A leaf is another child of a node that is not
// empty; it holds more than the leaf size on the deepest level alone.
struct OctreeView {
  const std::uint32_t* order = nullptr;  // index of each body, by its place
  const OctreeNode* nodes = nullptr;
  const std::uint32_t* node_begin = nullptr;  // place of the first body
  const std::uint32_t* node_count = nullptr;  // of bodies
  const std::uint32_t* leaf_begin = nullptr;  // and the end of the last
  const OctreeSums* node_sums = nullptr;      // null where none were asked for
  const OctreeSums* leaf_sums = nullptr;      // null too where leaves hold one body
  std::uint32_t bodies = 0, node_number = 0, leaf_number = 0;
  int levels = 0;                                        // that have nodes
  std::uint32_t level_begin[kMostOctreeDepth + 1] = {};  // first node of each level, and the end

  HALOSCOPE_HD OctreeRef root() const {
    return bodies == 0 ? kNoOctreeRef : node_number > 0 ? 0 : kOctreeLeaf;
  }
};

}  // namespace haloscope::compute::spatial
