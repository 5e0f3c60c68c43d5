#pragma once

#include "compute/gravity/attraction.h"
#include "core/host_device.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

// Potentials of many particles at once. Particles lie in an order whose neighbors are close; the
// tree over them is implicit: a leaf is eight consecutive particles, a node four consecutive nodes
// of the level below. Targets are the nodes just above the leaves, which take the place of Barnes'
// 1990 groups: one walk serves 32 particles. What a node seen as a point leaves out is bounded, not
// estimated: Salmon and Warren 1994 for point masses.
namespace haloscope::compute::gravity {

// The nearest images of lattice points to one another.
HALOSCOPE_HD inline std::int32_t apart(std::uint32_t a, std::uint32_t b) {
  return std::int32_t(a - b);
}

// Corners of a box less than half the domain wide.
struct LatticeBox {
  std::uint32_t low[3], high[3];

  HALOSCOPE_HD void include(const std::uint32_t (&p)[3], const std::uint32_t (&q)[3]) {
    for (int a = 0; a < 3; ++a) {
      if (apart(p[a], low[a]) < 0) low[a] = p[a];
      if (apart(q[a], high[a]) > 0) high[a] = q[a];
    }
  }
  // Square of the distance to a point; 0 within.
  HALOSCOPE_HD float squared_distance(const std::uint32_t (&p)[3]) const {
    float squared = 0;
    for (int a = 0; a < 3; ++a) {
      const std::int32_t below = apart(low[a], p[a]), above = apart(p[a], high[a]);
      const std::int32_t out = below > above ? below : above;
      const float d = out > 0 ? float(out) : 0.f;
      squared += d * d;
    }
    return squared;
  }
  // Square of the distance to another box; 0 where they meet.
  HALOSCOPE_HD float squared_distance(const LatticeBox& other) const {
    float squared = 0;
    for (int a = 0; a < 3; ++a) {
      const std::int32_t below = apart(low[a], other.high[a]), above = apart(other.low[a], high[a]);
      const std::int32_t out = below > above ? below : above;
      const float d = out > 0 ? float(out) : 0.f;
      squared += d * d;
    }
    return squared;
  }
  // Square of the distance of the farthest corner from a point within.
  HALOSCOPE_HD double squared_reach(const std::uint32_t (&p)[3]) const {
    double squared = 0;
    for (int a = 0; a < 3; ++a) {
      const double below = double(apart(p[a], low[a])), above = double(apart(high[a], p[a]));
      const double far = below > above ? below : above;
      squared += far * far;
    }
    return squared;
  }
};

HALOSCOPE_HD inline double squared_distance(const std::uint32_t (&p)[3],
                                            const std::uint32_t (&q)[3]) {
  double squared = 0;
  for (int a = 0; a < 3; ++a) {
    const double d = double(apart(p[a], q[a]));
    squared += d * d;
  }
  return squared;
}

// A hair more than rounding to single precision takes away.
inline constexpr double kRoundUp = 1 + 1e-6;

// Masses as those of sources; `radius` and `spread` are no smaller than what they bound. Particles
// without mass do not count.
struct TreeNode {
  std::uint32_t center[3];  // of mass, to the nearest step
  float mass;
  float radius;  // largest distance of a particle from the center, steps; 0: all are at the center
  float spread;  // mean of its square, weighted by mass
  LatticeBox box;
};

struct HaloTree {
  static constexpr std::uint32_t kLeaf = 8, kFan = 4;
  static constexpr int kMostLevels = 17;
  std::uint64_t nodes = 0;  // place of the first
  std::uint64_t fans = 0;   // place of that of the first node above the leaves
  int levels = 0;           // 0: too small for a tree
  std::uint32_t level_begin[kMostLevels + 1] = {};

  HALOSCOPE_HD std::uint32_t level_size(int level) const {
    return level_begin[level + 1] - level_begin[level];
  }
};

inline HaloTree make_tree(std::uint64_t first_node, std::uint64_t members) {
  HaloTree tree;
  tree.nodes = first_node;
  auto n = std::uint32_t((members + HaloTree::kLeaf - 1) / HaloTree::kLeaf);
  for (;; n = (n + HaloTree::kFan - 1) / HaloTree::kFan) {
    tree.level_begin[tree.levels + 1] = tree.level_begin[tree.levels] + n;
    ++tree.levels;
    if (n == 1) return tree;
  }
}

// A node of the level above the leaves, whose particles are targets together.
struct Block {
  static constexpr std::uint32_t kSize = HaloTree::kLeaf * HaloTree::kFan;
  std::uint64_t begin;  // in the sources
  std::uint32_t count;
  std::uint32_t halo;
  std::uint32_t number;  // of the block in its halo
};

// Mass and center of mass of points, from the first of them.
struct CenterSum {
  std::uint32_t origin[3];
  double mass = 0, first[3] = {};

  HALOSCOPE_HD void add(const std::uint32_t (&p)[3], double m) {
    mass += m;
    for (int a = 0; a < 3; ++a) first[a] += m * double(apart(p[a], origin[a]));
  }
  HALOSCOPE_HD void finish(TreeNode& n) const {
    const double inverse = mass > 0 ? 1 / mass : 0;
    for (int a = 0; a < 3; ++a) {
      const double middle = first[a] * inverse;
      // What is no number stays at the origin.
      const bool good = middle > -2147483648.0 && middle < 2147483647.0;
      n.center[a] = origin[a] + std::uint32_t(good ? std::int32_t(floor(middle + 0.5)) : 0);
    }
    n.mass = float(mass);
  }
};

struct MakeLeaves {
  const Block* blocks;
  SourceView sources;
  const HaloTree* trees;
  TreeNode* nodes;

  HALOSCOPE_HD void operator()(std::size_t b) const {
    const Block block = blocks[b];
    const HaloTree& tree = trees[block.halo];
    if (tree.levels == 0) return;
    std::uint64_t to = tree.nodes + std::uint64_t(block.number) * HaloTree::kFan;
    for (std::uint32_t k = 0; k < block.count; k += HaloTree::kLeaf)
      nodes[to++] = make(block.begin + k, k + HaloTree::kLeaf < block.count
                                              ? block.begin + k + HaloTree::kLeaf
                                              : block.begin + block.count);
  }

 private:
  HALOSCOPE_HD TreeNode make(std::uint64_t first, std::uint64_t end) const {
    CenterSum sum{{sources.x[first], sources.y[first], sources.z[first]}};
    TreeNode n;
    for (int a = 0; a < 3; ++a) n.box.low[a] = n.box.high[a] = sum.origin[a];
    for (std::uint64_t i = first; i < end; ++i) {
      const std::uint32_t p[3] = {sources.x[i], sources.y[i], sources.z[i]};
      sum.add(p, double(sources.mass[i]));
      n.box.include(p, p);
    }
    sum.finish(n);
    double radius = 0, spread = 0;
    for (std::uint64_t i = first; i < end; ++i) {
      if (sources.mass[i] == 0) continue;
      const std::uint32_t p[3] = {sources.x[i], sources.y[i], sources.z[i]};
      const double squared = squared_distance(p, n.center);
      radius = squared > radius ? squared : radius;
      spread += double(sources.mass[i]) * squared;
    }
    n.radius = float(sqrt(radius) * kRoundUp);
    n.spread = sum.mass > 0 ? float(spread / sum.mass * kRoundUp) : 0;
    return n;
  }
};

// The levels above the leaves, a halo at a time: a twentieth of the halo's members.
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
        const TreeNode* const children = nodes + tree.level_begin[level - 1];
        nodes[tree.level_begin[level] + i] = join(children + first, end - first);
      }
  }

  HALOSCOPE_HD static TreeNode join(const TreeNode* children, std::uint32_t count) {
    TreeNode n;
    n.box = children[0].box;
    CenterSum sum{{children[0].center[0], children[0].center[1], children[0].center[2]}};
    for (std::uint32_t c = 0; c < count; ++c) {
      sum.add(children[c].center, double(children[c].mass));
      n.box.include(children[c].box.low, children[c].box.high);
    }
    sum.finish(n);
    double radius = 0, spread = 0;
    for (std::uint32_t c = 0; c < count; ++c) {
      const TreeNode& child = children[c];
      if (child.mass == 0) continue;
      const double away = sqrt(squared_distance(child.center, n.center));
      const double reach = away + double(child.radius);
      radius = reach > radius ? reach : radius;
      // The child's center of mass is known to steps only, hence the 1.
      spread += double(child.mass) * (double(child.spread) + (away + 1) * (away + 1));
    }
    const double corner = sqrt(n.box.squared_reach(n.center));
    n.radius = float((corner < radius ? corner : radius) * kRoundUp);
    n.spread = sum.mass > 0 ? float(spread / sum.mass * kRoundUp) : 0;
    return n;
  }
};

// The nodes below one, side by side as far as a walk looks at all of them: four fill a vector.
struct alignas(32) NodeFan {
  std::uint32_t center[3][HaloTree::kFan];
  float radius[HaloTree::kFan], spread[HaloTree::kFan];
};

struct MakeFans {
  const HaloTree* trees;
  const TreeNode* all_nodes;
  NodeFan* fans;

  HALOSCOPE_HD void operator()(std::size_t halo) const {
    const HaloTree& tree = trees[halo];
    const TreeNode* const nodes = all_nodes + tree.nodes;
    NodeFan* to = fans + tree.fans;
    for (int level = 1; level < tree.levels; ++level)
      for (std::uint32_t i = 0; i < tree.level_size(level); ++i, ++to)
        for (std::uint32_t c = 0; c < HaloTree::kFan; ++c) {
          const std::uint32_t child = i * HaloTree::kFan + c, last = tree.level_size(level - 1) - 1;
          const TreeNode& n = nodes[tree.level_begin[level - 1] + (child < last ? child : last)];
          for (int a = 0; a < 3; ++a) to->center[a][c] = n.center[a];
          to->radius[c] = n.radius;
          to->spread[c] = n.spread;
        }
  }
};

// The most by which a node seen as a point is wrong anywhere in a box, per mass of the node. Steps.
// `outside`: distance from the box to the sphere about the node, below 0 where they meet. Nodes
// that come within h of the box are seen as splines; those that meet it without softening have no
// bound, and the error is infinite. A node whose particles are all at one place is that point: were
// it opened, many particles at one place would cost the square of their number.
struct NodeError {
  float error, outside;
};
HALOSCOPE_HD inline NodeError error_of_node(std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                            float radius, float spread, int level,
                                            const LatticeBox& box, float h) {
  // Centers of mass that are known to a step are, level by level, off by a step more.
  const float shift = float(level + 1);
  const float per_h = h > 0 ? 1 / h : 0, per_h2 = h > 0 ? per_h * per_h : INFINITY;
  const std::uint32_t center[3] = {x, y, z};
  float squared = 0;
  for (int a = 0; a < 3; ++a) {
    const std::int32_t below = apart(box.low[a], center[a]), above = apart(center[a], box.high[a]);
    const std::int32_t beyond = below > above ? below : above;
    const float d = float(beyond > 0 ? beyond : 0);
    squared += d * d;
  }
  const float d2 = squared * float(1 / kRoundUp);
  const float outside = sqrtf(d2) - radius;
  // Σ_{n≥1} b_n / dⁿ⁺¹ with moments b_1 <= shift and b_n <= spread · radiusⁿ⁻².
  const float far_error = (shift * outside + spread) / (d2 * outside);
  // The spline potential's gradient is below 3 / h² and its second derivatives below 32/3 / h³,
  // both without and within h.
  const float near_error = (shift * 3 + spread * float(16.0 / 3) * per_h) * per_h2;
  const bool is_point = !(radius > 0);
  return {is_point ? 0.f : outside > h ? far_error : near_error, outside};
}

struct FanErrors {
  float error[HaloTree::kFan], outside[HaloTree::kFan];
};
HALOSCOPE_HD inline void find_errors(const NodeFan& fan, int level, const LatticeBox& box, float h,
                                     FanErrors& out) {
  for (std::uint32_t c = 0; c < HaloTree::kFan; ++c) {
    const NodeError e = error_of_node(fan.center[0][c], fan.center[1][c], fan.center[2][c],
                                      fan.radius[c], fan.spread[c], level, box, h);
    out.error[c] = e.error;
    out.outside[c] = e.outside;
  }
}

// The same with the widest vectors that the machine has: attraction_cpu.cpp.
void find_errors_on_cpu(const NodeFan& fan, int level, const LatticeBox& box, float h,
                        FanErrors& out);

// Calls node(n, error, soft) for nodes whose error in the box `targets` is at most `allowed` per
// mass, and leaf(index, soft) for other leaves. `soft`: the sources or some of them may be within
// h.
template <class Node, class Leaf>
void walk_tree(const HaloTree& tree, const TreeNode* all_nodes, const NodeFan* fans,
               const LatticeBox& targets, float allowed, float h, const Node& node,
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
    const Place parent = stack[--depth];
    const int level = parent.level - 1;
    const std::uint32_t first = parent.index * HaloTree::kFan, size = tree.level_size(level);
    const std::uint32_t count = size - first < HaloTree::kFan ? size - first : HaloTree::kFan;
    FanErrors errors;
    find_errors_on_cpu(
        fans[tree.fans + tree.level_begin[parent.level] - tree.level_begin[1] + parent.index],
        level, targets, h, errors);
    for (std::uint32_t c = 0; c < count; ++c) {
      const TreeNode& child = nodes[tree.level_begin[level] + first + c];
      if (errors.error[c] <= allowed)
        node(child, errors.error[c], !(errors.outside[c] > h));
      else if (level == 0)
        leaf(first + c, targets.squared_distance(child.box) * float(1 / kRoundUp) <= h * h);
      else
        stack[depth++] = {first + c, level};
    }
  }
}

}  // namespace haloscope::compute::gravity
