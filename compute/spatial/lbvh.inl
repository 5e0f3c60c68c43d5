#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/sort.h"
#include "compute/spatial/cell_grid.inl"
#include "compute/spatial/lbvh_traverse.h"
#include "compute/spatial/morton.h"
#include "compute/spatial/morton_order.inl"
#include "core/error.h"

#include <thrust/fill.h>
#include <thrust/sequence.h>

#include <string>

// Building an LBVH over points or boxes that are in Morton order, for either executor.
namespace haloscope::compute::spatial {

struct BvhBox {
  std::uint32_t low[3], high[3];
};

HALOSCOPE_HD inline BvhBox box_of(const CellPoint& p) {
  return {{p.x, p.y, p.z}, {p.x, p.y, p.z}};
}

template <class Box>
HALOSCOPE_HD void widen(BvhBox& box, const Box& by) {
  for (int a = 0; a < 3; ++a) {
    box.low[a] = by.low[a] < box.low[a] ? by.low[a] : box.low[a];
    box.high[a] = by.high[a] > box.high[a] ? by.high[a] : box.high[a];
  }
}

// How far the leaves i and i + 1 are apart in the tree of codes. Equal codes are told apart by the
// places of their leaves, as Karras (2012, §4) proposes.
HALOSCOPE_HD inline std::uint64_t leaf_difference(std::uint32_t i, std::uint64_t code,
                                                  std::uint64_t next_code) {
  const std::uint64_t bits = code ^ next_code;
  return bits ? bits + (std::uint64_t(1) << 32) : i ^ (i + 1);
}

// Whether the node of the leaves first … last of `count`, which is not the root, is a left child:
// of two neighboring leaves those belong together first that are less apart.
template <class Differences>
HALOSCOPE_HD bool is_left_child(std::uint32_t first, std::uint32_t last, std::uint32_t count,
                                const Differences& difference) {
  if (first == 0) return true;
  return last + 1 != count && difference(last) < difference(first - 1);
}

struct LeafOrder {
  const std::uint64_t* code;  // ascending, 63 bits
  std::uint32_t count;

  HALOSCOPE_HD bool is_left(std::uint32_t first, std::uint32_t last) const {
    return is_left_child(first, last, count,
                         [&](std::uint32_t i) { return leaf_difference(i, code[i], code[i + 1]); });
  }
};

struct MarkRightLeaves {
  LeafOrder order;
  std::uint32_t* right_leaves;
  HALOSCOPE_HD void operator()(std::size_t word) const {
    std::uint32_t bits = 0;
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      const std::uint32_t i = std::uint32_t(word) * 32 + bit;
      if (i < order.count && !order.is_left(i, i)) bits |= 1u << bit;
    }
    right_leaves[word] = bits;
  }
};

// From each leaf up to the root, as Apetrei (2014): of two children the one that comes second goes
// on as their parent, whose range it knows then. The parent's own side gives Karras' number, and
// the end of its range its rope, so that one pass does all (Prokopenko and Lebrun-Grandié 2024).
template <class Leaf>
struct Climb {
  static constexpr std::uint32_t kNobody = ~0u;

  LeafOrder order;
  LbvhView<Leaf> tree;
  BvhNode* nodes;
  std::uint32_t* met;  // by the last leaf of the left child: far end of the child that came first

  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto leaf = std::uint32_t(k);
    climb(leaf, leaf, box_of(tree.leaves[leaf]));
  }

  // From the finished node, or leaf, of the leaves first … last.
  HALOSCOPE_HD void climb(std::uint32_t first, std::uint32_t last, BvhBox box) const {
    while (first != 0 || last + 1 != tree.count) {
      const bool left = order.is_left(first, last);
      const std::uint32_t split = left ? last : first - 1;
      // What the first child wrote must be seen by the second.
      const std::uint32_t far = atomic_exchange_ordered(met + split, left ? first : last);
      if (far == kNobody) return;
      (left ? last : first) = far;
      const std::uint32_t sibling = left ? split + 1 : split;
      if (far == sibling)
        widen(box, box_of(tree.leaves[sibling]));
      else
        widen(box, nodes[sibling]);
      const bool root = first == 0 && last + 1 == tree.count;
      const std::uint32_t number = root ? 0 : (order.is_left(first, last) ? last : first);
      nodes[number] = {{box.low[0], box.low[1], box.low[2]},
                       {box.high[0], box.high[1], box.high[2]},
                       first == split ? split | kLeaf : split,
                       tree.after(last)};
    }
  }
};

template <class Exec>
struct Lbvh {
  std::uint32_t count = 0;  // of leaves
  Buffer<BvhNode, Exec> nodes;
  Buffer<std::uint32_t, Exec> right_leaves;

  template <class Leaf>
  LbvhView<Leaf> view(const Leaf* leaves) const {
    return {nodes.data(), leaves, right_leaves.data(), count};
  }
};

// Fills the tree of two leaves or more. An executor may have its own.
template <class Exec, class Leaf>
void climb_all(Exec& exec, const LeafOrder& order, const Leaf* leaves, Lbvh<Exec>& tree) {
  parallel_for(exec, "tree leaves", tree.right_leaves.size(),
               MarkRightLeaves{order, tree.right_leaves.data()});
  Buffer<std::uint32_t, Exec> met(exec, tree.count - 1, "tree building");
  thrust::fill(exec.policy(), met.begin(), met.end(), Climb<Leaf>::kNobody);
  parallel_for(exec, "tree building", tree.count,
               Climb<Leaf>{order, tree.view(leaves), tree.nodes.data(), met.data()});
}

// Builds the tree of `count` ≤ kMostLeaves leaves with ascending codes of 63 bits; box_of(leaf)
// gives their boxes. Throws Error for more.
template <class Exec, class Leaf>
Lbvh<Exec> build_lbvh(Exec& exec, const Leaf* leaves, const std::uint64_t* code,
                      std::size_t count) {
  if (count > kMostLeaves)
    throw Error(std::to_string(count) + " points are more than one tree can hold", "tree building",
                "choose fewer types or a region");
  Lbvh<Exec> tree;
  tree.count = std::uint32_t(count);
  if (count == 0) return tree;
  const LeafOrder order{code, tree.count};
  const std::size_t words = (count + 31) / 32;
  tree.right_leaves = Buffer<std::uint32_t, Exec>(exec, words, "tree leaves");
  if (count == 1) {
    exec.zero(tree.right_leaves.data(), sizeof(std::uint32_t));
    return tree;
  }
  tree.nodes = Buffer<BvhNode, Exec>(exec, count - 1, "tree nodes");
  climb_all(exec, order, leaves, tree);
  return tree;
}

struct GatherTreePoint {
  PointsView from;
  const std::uint32_t* order;  // null: as they lie
  CellPoint* points;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    points[k] = cell_point(from, order ? order[k] : k);
  }
};

// Points on the executor in the order of their codes; sorts the codes. Points of one code keep
// their order. Calls begin(name) where sort and build begin.
template <class Exec, class Begin>
Buffer<CellPoint, Exec> sort_points(Exec& exec, const PointsView& from,
                                    Buffer<std::uint64_t, Exec>& codes, const Begin& begin) {
  begin("sort");
  const std::size_t count = codes.size();
  Buffer<std::uint32_t, Exec> order(exec, count, "Morton order");
  thrust::sequence(exec.policy(), order.begin(), order.end());
  sort_pairs(exec, codes, order, kMortonBits);
  begin("build");
  Buffer<CellPoint, Exec> points(exec, count, "sorted points");
  parallel_for(exec, "sorted points", count, GatherTreePoint{from, order.data(), points.data()});
  return points;
}

// A tree whose leaves are points.
template <class Exec>
struct PointTree {
  Buffer<CellPoint, Exec> points;  // in Morton order
  Lbvh<Exec> tree;
  LbvhView<CellPoint> view() const { return tree.view(points.data()); }
};

// Of points on the executor. Calls begin(name) where keys, sort and build begin; those in Morton
// order need no sort. Throws Error for more than kMostLeaves.
template <class Exec, class Begin>
PointTree<Exec> make_point_tree(Exec& exec, const PointsView& from, const Begin& begin) {
  PointTree<Exec> made;
  const std::size_t count = from.count;
  if (count == 0) return made;
  begin("keys");
  Buffer<std::uint64_t, Exec> codes(exec, count, "Morton codes");
  parallel_for(exec, "Morton codes", count, MakeMortonCode{from.position, codes.data()});
  if (from.in_morton_order) {
    begin("build");
    made.points = Buffer<CellPoint, Exec>(exec, count, "sorted points");
    parallel_for(exec, "sorted points", count, GatherTreePoint{from, nullptr, made.points.data()});
  } else {
    made.points = sort_points(exec, from, codes, begin);
  }
  made.tree = build_lbvh(exec, made.points.data(), codes.data(), count);
  return made;
}

}  // namespace haloscope::compute::spatial
