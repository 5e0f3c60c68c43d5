#pragma once

#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// Searches in a linear bounding volume hierarchy (LBVH) whose leaves are points or boxes in Morton
// order. Stackless by ropes (Torres et al. 2009; Prokopenko et al. 2024, §4.2.1): each node knows
// where to go on when nothing below it is wanted.
//
// All distances are on the torus of 2³² lattice steps per axis, exact in integers. In a domain that
// is not periodic no two points are more than half of that apart, so that the shortest way between
// them is the plain one (core/domain.h).
namespace haloscope::compute::spatial {

// An internal node by its number, or a leaf by its place in Morton order with kLeaf set.
using NodeRef = std::uint32_t;
inline constexpr NodeRef kLeaf = NodeRef(1) << 31;
inline constexpr NodeRef kEnd = ~NodeRef(0);
inline constexpr std::size_t kMostLeaves = kLeaf - 1;

// Internal nodes are numbered as by Karras (2012): a left child by the last leaf below it, a right
// child by the first, the root 0. The right child needs no word: it is the left one's rope.
struct alignas(32) BvhNode {
  std::uint32_t low[3], high[3];  // of all points below, both included
  NodeRef left;
  NodeRef rope;  // next in preorder after all below
};

template <class Leaf>
struct LbvhView {
  const BvhNode* nodes;  // count − 1
  const Leaf* leaves;
  const std::uint32_t* right_leaves;  // a bit per leaf: it is a right child
  std::uint32_t count;                // of leaves

  HALOSCOPE_HD NodeRef root() const { return count == 0 ? kEnd : (count == 1 ? kLeaf : 0); }

  // The rope of leaf i, and of every node that ends with it. Between the leaves i and i + 1 the
  // preorder enters the highest node that begins with i + 1; that is internal node i + 1 where
  // leaf i + 1 is a left child.
  HALOSCOPE_HD NodeRef after(std::uint32_t i) const {
    const std::uint32_t next = i + 1;
    if (next == count) return kEnd;
    return (right_leaves[next / 32] >> (next % 32)) & 1 ? next | kLeaf : next;
  }
};

HALOSCOPE_HD inline std::uint64_t squared_gap(std::uint32_t v, std::uint32_t low,
                                              std::uint32_t high) {
  if (v - low <= high - low) return 0;
  const std::uint32_t before = low - v, behind = v - high;
  const std::uint64_t gap = before < behind ? before : behind;
  return gap * gap;
}

// From a point to the nearest place of a box; at most 3 · 2⁶², which an unsigned word holds.
template <class Point, class Box>
HALOSCOPE_HD std::uint64_t squared_distance_to_box(const Point& p, const Box& box) {
  return squared_gap(p.x, box.low[0], box.high[0]) + squared_gap(p.y, box.low[1], box.high[1]) +
         squared_gap(p.z, box.low[2], box.high[2]);
}

template <class Point, class Other>
HALOSCOPE_HD std::uint64_t squared_distance(const Point& p, const Other& q) {
  const std::int64_t dx = std::int32_t(p.x - q.x);
  const std::int64_t dy = std::int32_t(p.y - q.y);
  const std::int64_t dz = std::int32_t(p.z - q.z);
  // At most 3 · 2⁶², which an unsigned word holds.
  return std::uint64_t(dx * dx) + std::uint64_t(dy * dy) + std::uint64_t(dz * dz);
}

// Calls f(leaf) for the leaves from node `from` on, in order, leaving out those below nodes that
// are not wanted(node); f returns false to stop. Returns false when stopped. From the root that is
// all leaves; from the rope of leaf i those after i, by which each pair of leaves is met once (the
// pair traversal of Prokopenko et al. 2024, §4.2.3).
template <class Leaf, class Wanted, class F>
HALOSCOPE_HD bool walk(const LbvhView<Leaf>& tree, NodeRef from, const Wanted& wanted, const F& f) {
  for (NodeRef at = from; at != kEnd;) {
    if (at & kLeaf) {
      const std::uint32_t leaf = at & ~kLeaf;
      if (!f(leaf)) return false;
      at = tree.after(leaf);
    } else {
      const BvhNode node = tree.nodes[at];
      at = wanted(node) ? node.left : node.rope;
    }
  }
  return true;
}

// The same for the leaves within a distance of a point, that distance included; leaves are points.
template <class Leaf, class Point, class F>
HALOSCOPE_HD bool for_near(const LbvhView<Leaf>& tree, NodeRef from, const Point& point,
                           std::uint64_t squared_reach, const F& f) {
  return walk(
      tree, from,
      [&](const BvhNode& node) { return squared_distance_to_box(point, node) <= squared_reach; },
      [&](std::uint32_t leaf) {
        return squared_distance(point, tree.leaves[leaf]) > squared_reach || f(leaf);
      });
}

template <class Leaf, class Point, class F>
HALOSCOPE_HD bool for_near(const LbvhView<Leaf>& tree, const Point& point,
                           std::uint64_t squared_reach, const F& f) {
  return for_near(tree, tree.root(), point, squared_reach, f);
}

}  // namespace haloscope::compute::spatial
