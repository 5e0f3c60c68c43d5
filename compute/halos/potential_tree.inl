#pragma once

#include "compute/halos/softening.h"
#include "core/host_device.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

// Potentials of many particles: blocks of 32 in Morton order as targets, and over them an implicit
// tree: a node is four consecutive nodes of the level below. Blocks take the place of Barnes' 1990
// groups: one walk serves 32 particles.
namespace haloscope::compute::halos {

// Particles of halos, each halo's in an order of its own. Lengths in sides of the domain from the
// first member, masses in that of the halo: single precision has room for any units.
struct SourceView {
  const float *x, *y, *z, *mass;
};

struct Block {
  static constexpr int kSize = 32;
  std::uint64_t begin;  // in the sources
  std::uint32_t count;
  std::uint32_t halo;
  std::uint32_t leaf;  // number of the block in its halo
};

struct TreeNode {
  float x, y, z, mass;  // center of mass
  float low[3], high[3];
  float radius;  // of all particles from it, at most
};

struct HaloTree {
  static constexpr int kFan = 4, kMostLevels = 17;
  std::uint64_t begin = 0;  // members
  std::uint64_t nodes = 0;  // place of the first
  int levels = 0;           // 0: too small for a tree
  std::uint32_t level_begin[kMostLevels + 1] = {};

  HALOSCOPE_HD std::uint32_t level_size(int level) const {
    return level_begin[level + 1] - level_begin[level];
  }
};

inline HaloTree make_tree(std::uint64_t begin, std::uint64_t first_node, std::uint32_t leaves) {
  HaloTree tree;
  tree.begin = begin;
  tree.nodes = first_node;
  for (std::uint32_t n = leaves;; n = (n + HaloTree::kFan - 1) / HaloTree::kFan) {
    tree.level_begin[tree.levels + 1] = tree.level_begin[tree.levels] + n;
    ++tree.levels;
    if (n == 1) return tree;
  }
}

HALOSCOPE_HD inline void finish_radius(TreeNode& n) {
  const float c[3] = {n.x, n.y, n.z};
  float squared = 0;
  for (int k = 0; k < 3; ++k) {
    const float below = c[k] - n.low[k], above = n.high[k] - c[k];
    const float far = below > above ? below : above;
    squared += far * far;
  }
  n.radius = sqrt(squared);
}

struct MakeLeaves {
  const Block* blocks;
  SourceView sources;
  const HaloTree* trees;
  TreeNode* nodes;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const Block block = blocks[b];
    const HaloTree& tree = trees[block.halo];
    if (tree.levels == 0) return;
    TreeNode n{0, 0, 0, 0, {2, 2, 2}, {-2, -2, -2}, 0};
    for (std::uint64_t i = block.begin; i < block.begin + block.count; ++i) {
      const float p[3] = {sources.x[i], sources.y[i], sources.z[i]}, m = sources.mass[i];
      n.mass += m;
      n.x += m * p[0];
      n.y += m * p[1];
      n.z += m * p[2];
      for (int k = 0; k < 3; ++k) {
        n.low[k] = p[k] < n.low[k] ? p[k] : n.low[k];
        n.high[k] = p[k] > n.high[k] ? p[k] : n.high[k];
      }
    }
    const float inverse = n.mass > 0 ? 1 / n.mass : 0;
    n.x *= inverse;
    n.y *= inverse;
    n.z *= inverse;
    finish_radius(n);
    nodes[tree.nodes + block.leaf] = n;
  }
};

// The levels above the leaves, a halo at a time: a hundredth of the halo's members.
struct MakeUpperNodes {
  const HaloTree* trees;
  TreeNode* all_nodes;
  HALOSCOPE_HD void operator()(std::size_t halo) const {
    const HaloTree& tree = trees[halo];
    TreeNode* const nodes = all_nodes + tree.nodes;
    for (int level = 1; level < tree.levels; ++level)
      for (std::uint32_t i = 0; i < tree.level_size(level); ++i) {
        const std::uint32_t first = i * HaloTree::kFan, below = tree.level_size(level - 1);
        const std::uint32_t end = first + HaloTree::kFan < below ? first + HaloTree::kFan : below;
        TreeNode n{0, 0, 0, 0, {2, 2, 2}, {-2, -2, -2}, 0};
        for (std::uint32_t c = first; c < end; ++c) {
          const TreeNode& child = nodes[tree.level_begin[level - 1] + c];
          n.mass += child.mass;
          n.x += child.mass * child.x;
          n.y += child.mass * child.y;
          n.z += child.mass * child.z;
          for (int k = 0; k < 3; ++k) {
            n.low[k] = child.low[k] < n.low[k] ? child.low[k] : n.low[k];
            n.high[k] = child.high[k] > n.high[k] ? child.high[k] : n.high[k];
          }
        }
        const float inverse = n.mass > 0 ? 1 / n.mass : 0;
        n.x *= inverse;
        n.y *= inverse;
        n.z *= inverse;
        finish_radius(n);
        nodes[tree.level_begin[level] + i] = n;
      }
  }
};

// Where the targets of a walk are.
struct TargetBox {
  float low[3], high[3];

  // Of a point from the box; 0 within.
  HALOSCOPE_HD float squared_distance(float x, float y, float z) const {
    const float p[3] = {x, y, z};
    float squared = 0;
    for (int k = 0; k < 3; ++k) {
      const float below = low[k] - p[k], above = p[k] - high[k];
      const float out = below > above ? below : above;
      squared += out > 0 ? out * out : 0;
    }
    return squared;
  }
};

// Calls node(n) for nodes that a box of targets sees as points, and leaf(begin, end) for the
// particles of those leaves that it does not. A node is a point where its radius is below `opening`
// times the distance of its center of mass from the box, and no particle of it is within the
// softening's support h.
template <class Node, class Leaf>
HALOSCOPE_HD void walk_tree(const HaloTree& tree, const TreeNode* all_nodes, std::uint64_t members,
                            const TargetBox& targets, float opening, float h, const Node& node,
                            const Leaf& leaf) {
  struct Place {
    std::uint32_t index;
    int level;
  };
  Place stack[HaloTree::kMostLevels * (HaloTree::kFan - 1) + 2];
  int depth = 0;
  stack[depth++] = {0, tree.levels - 1};
  const TreeNode* const nodes = all_nodes + tree.nodes;
  while (depth > 0) {
    const Place place = stack[--depth];
    const TreeNode& n = nodes[tree.level_begin[place.level] + place.index];
    const float away = sqrtf(targets.squared_distance(n.x, n.y, n.z));
    if (away * opening > n.radius && away > n.radius + h) {
      node(n);
    } else if (place.level == 0) {
      const std::uint64_t begin = tree.begin + std::uint64_t(place.index) * Block::kSize;
      const std::uint64_t end = begin + Block::kSize;
      leaf(begin, end < tree.begin + members ? end : tree.begin + members);
    } else {
      const std::uint32_t first = place.index * HaloTree::kFan;
      const std::uint32_t below = tree.level_size(place.level - 1);
      // Backwards, so that children come in order.
      for (std::uint32_t c = HaloTree::kFan; c-- > 0;)
        if (first + c < below) stack[depth++] = {first + c, place.level - 1};
    }
  }
}

}  // namespace haloscope::compute::halos
