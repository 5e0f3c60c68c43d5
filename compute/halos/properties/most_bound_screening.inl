#pragma once

#include "compute/gravity/potential_tree.inl"

#include <cmath>
#include <cstddef>
#include <cstdint>

// Bounds on how deep in their halo's potential members lie, block by block. Depths are potentials
// over −1 in units of the halo's mass per lattice step (G = 1), without the member's own part.
namespace haloscope::compute::halos {

// What the steps of the screening share. Depths are stored by source, states by block.
struct BlockState {
  float error;     // of its depths, beside kAttractionError of them
  float sure;      // its deepest member lies at least so deep
  float possible;  // and at most so deep
};
struct Screening {
  gravity::SourceView sources;
  const std::uint64_t *begin, *source_begin;  // of halos, among members and sources
  const gravity::Block* blocks;
  const gravity::HaloTree* trees;
  const gravity::TreeNode* nodes;
  const gravity::NodeFan* fans;
  const float* known;  // depth that a member of each halo has for certain
  float h;             // support of the softening, steps
  float* depth;
  BlockState* states;

  HALOSCOPE_HD std::uint64_t members(std::uint32_t halo) const {
    return begin[halo + 1] - begin[halo];
  }
  // Takes the depth of a source with its own part.
  HALOSCOPE_HD void set_depth(std::uint64_t source, double with_own, float error,
                              BlockState& state) const {
    const float d = float(with_own - gravity::central_depth(double(sources.mass[source]), h));
    const float off = error + gravity::kAttractionError * fabsf(d);
    depth[source] = d;
    if (d - off > state.sure) state.sure = d - off;
    if (d + off > state.possible) state.possible = d + off;
  }
  // Takes a bound from above of the same, and no error but that of its additions.
  HALOSCOPE_HD void set_most(std::uint64_t source, double with_own, BlockState& state) const {
    const double most = with_own * (1 + double(gravity::kAttractionError));
    const float d = float(most - gravity::central_depth(double(sources.mass[source]), h)) *
                    float(gravity::kRoundUp);
    depth[source] = d;
    if (d > state.possible) state.possible = d;
  }
};

// The depth of members that have dropped out.
inline constexpr float kDropped = -INFINITY;

// Whether a member of depth d may be the deepest of its halo, where one of `known` depth is.
HALOSCOPE_HD inline bool may_be_deepest(float d, float error, float known) {
  return d != kDropped && d + error + gravity::kAttractionError * fabsf(d) >= known;
}

// Depths of `count` members from `first` on, from sums over all members: raises what is known.
inline void raise_known(const Screening& in, std::size_t halo, std::uint64_t first,
                        std::uint32_t count, float* known) {
  double depth[gravity::HaloTree::kLeaf] = {};
  gravity::attract(in.sources.from(in.source_begin[halo]),
                   in.source_begin[halo + 1] - in.source_begin[halo], in.sources.from(first), count,
                   {gravity::Softening::Rare, in.h}, depth);
  for (std::uint32_t k = 0; k < count; ++k) {
    const double own = gravity::central_depth(double(in.sources.mass[first + k]), in.h);
    const float sure = float(depth[k] - own) * (1 - gravity::kAttractionError);
    if (sure > known[halo]) known[halo] = sure;
  }
}

// The first bound of large halos: their densest leaf.
struct FindFirstBound {
  Screening in;
  float* known;
  void operator()(std::size_t halo) const {
    const gravity::HaloTree& tree = in.trees[halo];
    if (tree.levels == 0) return;
    const gravity::TreeNode* const leaves = in.nodes + tree.nodes;
    std::uint32_t densest = 0;
    float best = 0;
    for (std::uint32_t l = 0; l < tree.level_size(0); ++l) {
      const float depth = leaves[l].mass / (leaves[l].radius + in.h + 1);
      if (!(depth > best)) continue;
      best = depth;
      densest = l;
    }
    const std::uint64_t first = std::uint64_t(densest) * gravity::HaloTree::kLeaf;
    const std::uint64_t left = in.members(std::uint32_t(halo)) - first;
    raise_known(in, halo, in.source_begin[halo] + first,
                left < gravity::HaloTree::kLeaf ? std::uint32_t(left) : gravity::HaloTree::kLeaf,
                known);
  }
};

// A better one: the member that may be the deepest of the block listed for each halo.
struct RaiseBound {
  Screening in;
  const std::uint32_t* best_block;
  float* known;
  void operator()(std::size_t halo) const {
    const gravity::Block& block = in.blocks[best_block[halo]];
    std::uint64_t best = block.begin;
    for (std::uint64_t s = block.begin; s < block.begin + block.count; ++s)
      if (in.depth[s] > in.depth[best]) best = s;
    raise_known(in, halo, best, 1, known);
  }
};

// Sources of one kind that wait until there are enough of them.
struct Waiting {
  static constexpr std::size_t kMost = gravity::kSingleSum;
  alignas(64) std::uint32_t x[kMost], y[kMost], z[kMost];
  alignas(64) float mass[kMost];
  std::size_t count = 0;

  bool has_room_for(std::size_t n) const { return count + n <= kMost; }
  void add(std::uint32_t px, std::uint32_t py, std::uint32_t pz, float m) {
    x[count] = px;
    y[count] = py;
    z[count] = pz;
    mass[count++] = m;
  }
  void add(const gravity::SourceView& s, std::uint32_t n) {
    for (std::uint32_t k = 0; k < n; ++k) {
      x[count + k] = s.x[k];
      y[count + k] = s.y[k];
      z[count + k] = s.z[k];
      mass[count + k] = s.mass[k];
    }
    count += n;
  }
  void attract_all(const gravity::SourceView& targets, std::uint32_t n,
                   gravity::Softening softening, double* depth) {
    while (count % gravity::SourceView::kMultiple != 0) add(0, 0, 0, 0);
    gravity::attract({x, y, z, mass}, count, targets, n, softening, depth);
    count = 0;
  }
};

// The members of a block that may be the deepest of their halo.
struct LiveTargets {
  std::uint32_t x[gravity::Block::kSize] = {}, y[gravity::Block::kSize] = {},
                z[gravity::Block::kSize] = {};
  std::uint32_t place[gravity::Block::kSize];  // in the block
  std::uint32_t count = 0;

  // All of them, or after a round those that it left.
  LiveTargets(const Screening& in, std::size_t b, bool all) {
    const gravity::Block block = in.blocks[b];
    for (std::uint32_t k = 0; k < block.count; ++k) {
      const std::uint64_t s = block.begin + k;
      if (!all && !may_be_deepest(in.depth[s], in.states[b].error, in.known[block.halo])) {
        in.depth[s] = kDropped;
        continue;
      }
      x[count] = in.sources.x[s];
      y[count] = in.sources.y[s];
      z[count] = in.sources.z[s];
      place[count++] = k;
    }
  }
  gravity::SourceView view() const { return {x, y, z, nullptr}; }
  gravity::LatticeBox box() const {
    gravity::LatticeBox b{{x[0], y[0], z[0]}, {x[0], y[0], z[0]}};
    for (std::uint32_t k = 1; k < count; ++k) {
      const std::uint32_t p[3] = {x[k], y[k], z[k]};
      b.include(p, p);
    }
    return b;
  }
  void finish_most(const Screening& in, std::size_t b, const double* depth) const {
    BlockState state{0, -INFINITY, -INFINITY};
    for (std::uint32_t k = 0; k < count; ++k)
      in.set_most(in.blocks[b].begin + place[k], depth[k], state);
    in.states[b] = state;
  }
  void finish(const Screening& in, std::size_t b, const double* depth, float error) const {
    BlockState state{error, -INFINITY, -INFINITY};
    for (std::uint32_t k = 0; k < count; ++k)
      in.set_depth(in.blocks[b].begin + place[k], depth[k], error, state);
    in.states[b] = state;
  }
};

// Depths of a block's members by the tree.
struct ScreenBlock {
  Screening in;
  const std::uint32_t* live;  // blocks to be done
  float allowed;              // error, per known depth
  bool first;                 // round: of all members, from above
  void operator()(std::size_t i) const {
    const std::uint32_t b = live[i];
    const gravity::Block block = in.blocks[b];
    const gravity::HaloTree& tree = in.trees[block.halo];
    const LiveTargets targets(in, b, first);
    Waiting far, near;
    double depth[gravity::Block::kSize] = {};
    double error = 0;
    const auto attract_all = [&](bool soft) {
      const auto within_h = first ? gravity::Softening::Most : gravity::Softening::Here;
      const gravity::Softening softening{soft ? within_h : gravity::Softening::None, in.h};
      (soft ? near : far).attract_all(targets.view(), targets.count, softening, depth);
    };
    const auto list_with_room = [&](std::uint32_t n, bool soft) -> Waiting& {
      Waiting& list = soft ? near : far;
      if (!list.has_room_for(n)) attract_all(soft);
      return list;
    };
    gravity::walk_tree(
        tree, in.nodes, in.fans, targets.box(), allowed * in.known[block.halo], in.h,
        [&](const gravity::TreeNode& n, float node_error, bool soft) {
          list_with_room(1, soft).add(n.center[0], n.center[1], n.center[2], n.mass);
          error += double(n.mass) * double(node_error);
        },
        [&](std::uint32_t leaf, bool soft) {
          const std::uint64_t from = std::uint64_t(leaf) * gravity::HaloTree::kLeaf;
          const std::uint64_t left = in.members(block.halo) - from;
          const gravity::SourceView s = in.sources.from(in.source_begin[block.halo] + from);
          const auto n =
              std::uint32_t(left < gravity::HaloTree::kLeaf ? left : gravity::HaloTree::kLeaf);
          Waiting& list = list_with_room(n, soft);
          // A constant count is copied by vectors.
          if (n == gravity::HaloTree::kLeaf)
            list.add(s, gravity::HaloTree::kLeaf);
          else
            list.add(s, n);
        });
    attract_all(false);
    attract_all(true);
    if (first) {
      for (std::uint32_t k = 0; k < targets.count; ++k) depth[k] += error * gravity::kRoundUp;
      targets.finish_most(in, b, depth);
    } else {
      targets.finish(in, b, depth, float(error * gravity::kRoundUp));
    }
  }
};

// The most that a block's members can have, from all members of the halo.
struct BoundDirectly {
  Screening in;
  const std::uint32_t* live;
  void operator()(std::size_t i) const {
    const std::uint32_t b = live[i];
    const gravity::Block block = in.blocks[b];
    double depth[gravity::Block::kSize] = {};
    const std::uint64_t first = in.source_begin[block.halo];
    const LiveTargets targets(in, b, true);
    gravity::attract(in.sources.from(first), in.source_begin[block.halo + 1] - first,
                     targets.view(), targets.count, {gravity::Softening::Most, in.h}, depth);
    targets.finish_most(in, b, depth);
  }
};

// Depths of a block's members from sums over all members of the halo.
struct SumDirectly {
  Screening in;
  const std::uint32_t* live;
  void operator()(std::size_t i) const {
    const std::uint32_t b = live[i];
    const gravity::Block block = in.blocks[b];
    const LiveTargets targets(in, b, false);
    double depth[gravity::Block::kSize] = {};
    const std::uint64_t first = in.source_begin[block.halo];
    gravity::attract(in.sources.from(first), in.source_begin[block.halo + 1] - first,
                     targets.view(), targets.count, {gravity::Softening::Rare, in.h}, depth);
    targets.finish(in, b, depth, 0);
  }
};

}  // namespace haloscope::compute::halos
