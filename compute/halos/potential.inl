#pragma once

#include "compute/halos/members.inl"
#include "compute/halos/potential_tree.inl"
#include "compute/spatial/morton.h"

#include <cstdint>
#include <vector>

// The member of lowest potential of each halo. Potentials are screened in single precision, in
// large halos by a tree of monopoles. The lowest are summed again in double precision over all
// members, and they decide. Weakness: the margins are of experience, not bounds.
namespace haloscope::compute::halos {

// Halos of more members get a tree.
inline constexpr std::uint64_t kDirectSum = 256;

struct MemberOrder {
  std::uint64_t code;
  std::uint32_t member;
  HALOSCOPE_HD bool operator<(const MemberOrder& other) const {
    return code != other.code ? code < other.code : member < other.member;
  }
};

struct OrderMembers {
  const Member* members;
  const Slice* slices;  // of halos
  const HaloTree* trees;
  MemberOrder* order;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    const HaloTree& tree = trees[slices[s].run];
    const Member& first = members[tree.begin];
    constexpr std::uint32_t kMiddle = 1u << 31;  // a halo at the box edge is like any other
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i) {
      const Member& m = members[i];
      order[i].member = std::uint32_t(i);
      order[i].code = tree.levels == 0
                          ? 0
                          : spatial::morton_code(m.x - first.x + kMiddle, m.y - first.y + kMiddle,
                                                 m.z - first.z + kMiddle);
    }
  }
};

struct MakeSources {
  const Member* members;
  const Slice* slices;
  const HaloTree* trees;
  const Sums<FirstMoments::kTerms>* halos;
  const MemberOrder* order;
  float *x, *y, *z, *mass;
  HALOSCOPE_HD void operator()(std::size_t s) const {
    const std::uint32_t halo = slices[s].run;
    const Member& first = members[trees[halo].begin];
    const double total = halos[halo].value[0];
    const double per_total = total > 0 ? 1 / total : 0;
    constexpr double kStep = 1 / 4294967296.0;
    for (std::uint64_t i = slices[s].begin; i < slices[s].end; ++i) {
      const Member& m = members[order[i].member];
      const Offset d = offset_from(m, first.x, first.y, first.z);
      x[i] = float(d.x * kStep);
      y[i] = float(d.y * kStep);
      z[i] = float(d.z * kStep);
      mass[i] = float(double(m.mass) * per_total);
    }
  }
};

// The potentials that a block of targets gathers; the last target fills up the block.
struct Targets {
  float x[Block::kSize], y[Block::kSize], z[Block::kSize], potential[Block::kSize];
  TargetBox box;

  HALOSCOPE_HD Targets(const SourceView& s, const Block& block) {
    box = {{2, 2, 2}, {-2, -2, -2}};
    for (std::uint32_t k = 0; k < std::uint32_t(Block::kSize); ++k) {
      const std::uint64_t i = block.begin + (k < block.count ? k : block.count - 1);
      const float p[3] = {s.x[i], s.y[i], s.z[i]};
      x[k] = p[0];
      y[k] = p[1];
      z[k] = p[2];
      potential[k] = 0;
      for (int a = 0; a < 3; ++a) {
        box.low[a] = p[a] < box.low[a] ? p[a] : box.low[a];
        box.high[a] = p[a] > box.high[a] ? p[a] : box.high[a];
      }
    }
  }

  HALOSCOPE_HD void attract(float sx, float sy, float sz, float mass) {
    for (int k = 0; k < Block::kSize; ++k) {
      const float dx = x[k] - sx, dy = y[k] - sy, dz = z[k] - sz;
      potential[k] -= mass / sqrtf(dx * dx + dy * dy + dz * dz);
    }
  }
  HALOSCOPE_HD void attract_softly(float sx, float sy, float sz, float mass, float h) {
    const float per_h = 1 / h;
    for (int k = 0; k < Block::kSize; ++k) {
      const float dx = x[k] - sx, dy = y[k] - sy, dz = z[k] - sz;
      const float u = sqrtf(dx * dx + dy * dy + dz * dz) * per_h;
      const float near = spline_potential(u), far = -1 / u;
      potential[k] += mass * per_h * (u < 1 ? near : far);
    }
  }
  HALOSCOPE_HD void attract_hard(float sx, float sy, float sz, float mass) {
    for (int k = 0; k < Block::kSize; ++k) {
      const float dx = x[k] - sx, dy = y[k] - sy, dz = z[k] - sz;
      const float r2 = dx * dx + dy * dy + dz * dz;
      potential[k] -= r2 > 0 ? mass / sqrtf(r2) : 0;
    }
  }

  // Particles begin … end-1, of which some may be near.
  HALOSCOPE_HD void attract(const SourceView& s, std::uint64_t begin, std::uint64_t end, float h) {
    for (std::uint64_t i = begin; i < end; ++i) {
      if (box.squared_distance(s.x[i], s.y[i], s.z[i]) > h * h)
        attract(s.x[i], s.y[i], s.z[i], s.mass[i]);
      else if (h > 0)
        attract_softly(s.x[i], s.y[i], s.z[i], s.mass[i], h);
      else
        attract_hard(s.x[i], s.y[i], s.z[i], s.mass[i]);
    }
  }
};

// How far nodes are opened for the potentials of all particles, with errors of about 1e-3 and at
// most 1e-2, and for those of the deepest blocks. A guess from a few places of each block in the
// stead of the first round would be three times as fast, but misses blocks in which the Morton
// order jumps.
inline constexpr float kOpening = 0.9f, kLastOpening = 0.25f;
// Blocks without a particle of so much of the depth of the deepest are left out of the last round.
inline constexpr float kDeepest = 0.98f;

// What the steps of the screening share.
struct Screening {
  SourceView sources;
  const std::uint64_t* begin;  // of halos
  const Block* blocks;
  const HaloTree* trees;
  const TreeNode* nodes;
  float h;  // support of the softening, sides of the domain

  HALOSCOPE_HD std::uint64_t members(std::uint32_t halo) const {
    return begin[halo + 1] - begin[halo];
  }
};

struct DeepestBlock {
  const std::uint32_t* first_block;  // of halos
  const HaloTree* trees;
  const float* depth;
  float* deepest;  // by halo
  HALOSCOPE_HD void operator()(std::size_t halo) const {
    deepest[halo] = 0;
    if (trees[halo].levels == 0) return;
    for (std::uint32_t b = first_block[halo]; b < first_block[halo + 1]; ++b)
      deepest[halo] = depth[b] < deepest[halo] ? depth[b] : deepest[halo];
  }
};

// Potentials of a block's particles, without their own part; 1 of those passed over. Halos without
// a tree are finished in the first round.
struct ScreenBlock {
  Screening in;
  bool last;
  const float* deepest;  // by halo, in the round before
  float* depth;          // by block: in that of the round before, out that of this one
  float* potential;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const Block block = in.blocks[b];
    const HaloTree& tree = in.trees[block.halo];
    if (tree.levels == 0 && last) return;
    if (last && depth[b] > kDeepest * deepest[block.halo]) {
      for (std::uint32_t k = 0; k < block.count; ++k) potential[block.begin + k] = 1;
      depth[b] = 1;
      return;
    }
    Targets targets(in.sources, block);
    if (tree.levels == 0)
      targets.attract(in.sources, in.begin[block.halo], in.begin[block.halo + 1], in.h);
    else
      walk_tree(
          tree, in.nodes, in.members(block.halo), targets.box, last ? kLastOpening : kOpening, in.h,
          [&](const TreeNode& n) { targets.attract(n.x, n.y, n.z, n.mass); },
          [&](std::uint64_t begin, std::uint64_t end) {
            targets.attract(in.sources, begin, end, in.h);
          });
    const float own = in.h > 0 ? float(14.0 / 5) / in.h : 0;
    float lowest = 1;
    for (std::uint32_t k = 0; k < block.count; ++k) {
      const std::uint64_t i = block.begin + k;
      potential[i] = targets.potential[k] + own * in.sources.mass[i];
      lowest = potential[i] < lowest ? potential[i] : lowest;
    }
    depth[b] = lowest;
  }
};

// Those that may have the lowest potential, by member.
struct Candidates {
  static constexpr int kMost = 24;
  // Errors of the screening, per depth.
  static constexpr float kDirectError = 2e-5f, kTreeError = 1e-3f;
  std::uint32_t member[kMost];
  int count;
};

struct ChooseCandidates {
  const std::uint64_t* begin;
  const HaloTree* trees;
  const float* potential;
  const MemberOrder* order;
  Candidates* candidates;
  HALOSCOPE_HD void operator()(std::size_t halo) const {
    float value[Candidates::kMost];
    std::uint64_t place[Candidates::kMost];
    int count = 0;
    const float error = trees[halo].levels ? Candidates::kTreeError : Candidates::kDirectError;
    float lowest = 1;
    for (std::uint64_t i = begin[halo]; i < begin[halo + 1]; ++i) {
      const float v = potential[i];
      if (count > 0 && v > lowest + error * (lowest < 0 ? -lowest : lowest)) continue;
      if (count == Candidates::kMost && v >= value[count - 1]) continue;
      int k = count < Candidates::kMost ? count++ : count - 1;
      for (; k > 0 && value[k - 1] > v; --k) {
        value[k] = value[k - 1];
        place[k] = place[k - 1];
      }
      value[k] = v;
      place[k] = i;
      lowest = value[0];
    }
    Candidates& out = candidates[halo];
    out.count = 0;
    for (int k = 0; k < count; ++k)
      if (value[k] <= lowest + error * (lowest < 0 ? -lowest : lowest))
        out.member[out.count++] = order[place[k]].member;
    // Masses that are no numbers leave no lowest.
    if (out.count == 0) out.member[out.count++] = order[place[0]].member;
  }
};

// Potentials of the candidates: code mass / lattice step, G = 1.
struct ExactPotentials {
  const Member* members;
  const Candidates* candidates;
  double h;  // steps
  HALOSCOPE_HD void operator()(std::uint64_t i, std::uint32_t halo,
                               Sums<Candidates::kMost>& sum) const {
    const Candidates& chosen = candidates[halo];
    const Member& m = members[i];
    for (int k = 0; k < chosen.count; ++k) {
      if (chosen.member[k] == i) continue;
      const Member& at = members[chosen.member[k]];
      const Offset d = offset_from(m, at.x, at.y, at.z);
      sum.value[k] += double(m.mass) * softened_potential(d.x * d.x + d.y * d.y + d.z * d.z, h);
    }
  }
};

struct MostBound {
  std::uint32_t member;
  double potential;
};

struct ChooseMostBound {
  const Candidates* candidates;
  const Sums<Candidates::kMost>* potentials;
  MostBound* chosen;
  HALOSCOPE_HD void operator()(std::size_t halo) const {
    const Candidates& c = candidates[halo];
    MostBound best{c.member[0], potentials[halo].value[0]};
    for (int k = 1; k < c.count; ++k) {
      const double value = potentials[halo].value[k];
      if (value < best.potential || (value == best.potential && c.member[k] < best.member))
        best = {c.member[k], value};
    }
    chosen[halo] = best;
  }
};

// Blocks, trees and places for their nodes, of all halos.
struct BlockPlan {
  std::vector<Block> blocks;
  std::vector<std::uint32_t> first_block;
  std::vector<HaloTree> trees;
  std::uint64_t nodes = 0;

  explicit BlockPlan(const std::vector<std::uint64_t>& begin) {
    for (std::size_t h = 0; h + 1 < begin.size(); ++h) {
      first_block.push_back(std::uint32_t(blocks.size()));
      std::uint32_t leaf = 0;
      for (std::uint64_t i = begin[h]; i < begin[h + 1]; i += Block::kSize, ++leaf) {
        const std::uint64_t left = begin[h + 1] - i;
        blocks.push_back(
            {i, std::uint32_t(left < Block::kSize ? left : Block::kSize), std::uint32_t(h), leaf});
      }
      HaloTree tree;
      tree.begin = begin[h];
      if (begin[h + 1] - begin[h] > kDirectSum) tree = make_tree(begin[h], nodes, leaf);
      nodes += tree.level_begin[tree.levels];
      trees.push_back(tree);
    }
    first_block.push_back(std::uint32_t(blocks.size()));
  }
};

// `begin` of each halo's members, `halos` their first moments, `h` the support of the softening in
// lattice steps. Potentials in code mass per lattice step.
template <class Exec>
std::vector<MostBound> find_most_bound(Exec& exec, const Member* members,
                                       const std::vector<std::uint64_t>& begin,
                                       const Slices<Exec>& slices,
                                       const Sums<FirstMoments::kTerms>* halos, double h) {
  const char* const name = "potentials";
  const std::size_t count = begin.back(), n = begin.size() - 1;
  const BlockPlan plan(begin);
  const auto blocks = upload(exec, plan.blocks, name);
  const auto first_block = upload(exec, plan.first_block, name);
  const auto trees = upload(exec, plan.trees, name);
  const auto begins = upload(exec, begin, name);
  const std::size_t all_slices = slices.slices.size();

  Buffer<MemberOrder, Exec> order(exec, count, name);
  parallel_for(exec, name, all_slices,
               OrderMembers{members, slices.slices.data(), trees.data(), order.data()});
  sort_segments(exec, name, order.data(), begin);
  Buffer<float, Exec> x(exec, count, name), y(exec, count, name), z(exec, count, name),
      mass(exec, count, name);
  parallel_for(exec, name, all_slices,
               MakeSources{members, slices.slices.data(), trees.data(), halos, order.data(),
                           x.data(), y.data(), z.data(), mass.data()});

  Buffer<TreeNode, Exec> nodes(exec, plan.nodes, name);
  const SourceView sources{x.data(), y.data(), z.data(), mass.data()};
  parallel_for(exec, name, blocks.size(),
               MakeLeaves{blocks.data(), sources, trees.data(), nodes.data()});
  parallel_for(exec, name, n, MakeUpperNodes{trees.data(), nodes.data()});

  const Screening in{sources,      begins.data(), blocks.data(),
                     trees.data(), nodes.data(),  float(h / 4294967296.0)};
  Buffer<float, Exec> depth(exec, blocks.size(), name), deepest(exec, n, name),
      potential(exec, count, name);
  for (const bool last : {false, true}) {
    if (last)
      parallel_for(exec, name, n,
                   DeepestBlock{first_block.data(), trees.data(), depth.data(), deepest.data()});
    parallel_for(exec, name, blocks.size(),
                 ScreenBlock{in, last, deepest.data(), depth.data(), potential.data()});
  }

  Buffer<Candidates, Exec> candidates(exec, n, name);
  parallel_for(exec, name, n,
               ChooseCandidates{begins.data(), trees.data(), potential.data(), order.data(),
                                candidates.data()});
  const auto exact = sum_runs<Candidates::kMost>(exec, name, slices,
                                                 ExactPotentials{members, candidates.data(), h});
  Buffer<MostBound, Exec> chosen(exec, n, name);
  parallel_for(exec, name, n, ChooseMostBound{candidates.data(), exact.data(), chosen.data()});
  return download(exec, chosen);
}

}  // namespace haloscope::compute::halos
