#pragma once

#include "compute/clusters/nearest_lists.inl"
#include "compute/clusters/spanning_tree.h"
#include "compute/exec/atomics.h"
#include "compute/exec/phases.h"
#include "compute/exec/slices.inl"
#include "compute/exec/sort.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/dendrogram.h"
#include "core/host_device.h"

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

// The minimum spanning tree of points, for either executor.
//
// In each round every component takes the edge of least weight that leaves it. A point knows its
// nearest foreign point, of another component, as its candidate, or a bound below which there is
// none. Both hold until the candidate joins the component, because what is foreign only becomes
// less; then its weight is the bound. A component whose candidates lie below all bounds of its
// points has its edge. The points of other components whose bounds are no larger than its best
// candidate search in the tree, where blocks that hold one component are left out by their color.
namespace haloscope::compute::clusters {

using hierarchy::ends_key;
using hierarchy::kNoEdge;
using hierarchy::kNone;
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

// An edge that was met, to a place.
struct MetEdge {
  std::uint64_t weight = kFarAway, ends = kNoEdge;
  std::uint32_t to = kNone;

  HALOSCOPE_HD bool is_behind(std::uint64_t other_weight, std::uint64_t other_ends) const {
    return other_weight < weight || (other_weight == weight && other_ends < ends);
  }
};

// What points know.
struct PointState {
  std::uint32_t* candidate;  // kNone: not known
  std::uint64_t* bound;      // the candidate's weight; without one, nothing foreign lies below
};

// What components take; they are called by numbers, the colors of their points. Those of more than
// `most` points take no edge and wait until others take them: as few of all are so large, nearly as
// many are joined, and a halo that grows need not ask all its points again in each round.
struct ComponentState {
  std::uint64_t *weight, *ends;
  std::uint32_t* from;  // the point that the edge leaves
  std::uint32_t* size;  // points
  std::uint32_t most;

  HALOSCOPE_HD bool waits(std::uint32_t color) const { return size[color] > most; }
};

template <int D>
struct ProposeFromLists {
  TreeOfColors<D> points;
  const std::uint32_t* neighbors;
  int k;
  PointState state;
  ComponentState components;

  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const std::uint32_t count = points.tree.count, own = points.color[i];
    if (components.waits(own)) return;
    const std::uint32_t candidate = state.candidate[i];
    if (candidate != kNone) {
      if (points.color[candidate] != own) {
        atomic_minimum(components.weight + own, state.bound[i]);
        return;
      }
      state.candidate[i] = kNone;
    }
    // Nothing that the list leaves out lies below this.
    std::uint64_t outside = kFarAway;
    if (std::uint32_t(k) + 1 < count) {
      const std::uint32_t last = neighbors[std::size_t(k - 1) * count + i];
      const auto squared = std::uint64_t(
          rounded_down(squared_between(points.tree.points[i], points.tree.points[last])));
      const std::uint64_t core = points.core_of(i);
      outside = squared < core ? core : squared;
    }
    if (state.bound[i] >= outside) return;
    MetEdge best;
    for (int n = 0; n < k; ++n) {
      const std::uint32_t j = neighbors[std::size_t(n) * count + i];
      if (points.color[j] == own) continue;
      const std::uint64_t weight = points.weight(i, j), ends = points.ends(i, j);
      if (best.is_behind(weight, ends)) best = {weight, ends, j};
    }
    if (best.to != kNone) atomic_minimum(components.weight + own, best.weight);
    // What is left out may have the weight of the last, and smaller ends.
    if (best.to != kNone && best.weight < outside) {
      state.candidate[i] = best.to;
      state.bound[i] = best.weight;
    } else {
      state.bound[i] = outside;
    }
  }
};

// Raises the bounds of blocks that hold one component and have nothing foreign near: a point deep
// in a halo would else search on its own each time that the halo's best edge becomes longer.
template <int D>
struct BoundBlocks {
  TreeOfColors<D> points;
  ComponentState components;
  int level;
  const std::uint8_t* needy;   // blocks
  std::uint64_t* block_bound;  // no point of the block has anything foreign below it

  HALOSCOPE_HD std::uint32_t box(std::uint32_t block) const {
    return points.tree.box(level, block);
  }
  HALOSCOPE_HD std::uint32_t color_of(std::uint32_t block) const {
    return points.block_color[box(block)];
  }
  HALOSCOPE_HD std::uint64_t inherited(std::uint32_t block) const {
    const std::uint64_t own = block_bound[box(block)];
    if (level + 1 == points.tree.levels.count) return own;
    const std::uint64_t above = block_bound[points.tree.box(level + 1, block / kFan)];
    return own < above ? above : own;
  }
  HALOSCOPE_HD bool must_walk(std::uint32_t block, std::uint32_t own, std::uint64_t bound) const {
    return bound <= components.weight[own] && !components.waits(own) && needy[box(block)];
  }

  HALOSCOPE_HD void operator()(std::size_t b) const {
    const BlockTreeView<D>& tree = points.tree;
    const auto block = std::uint32_t(b);
    const std::uint32_t own = color_of(block);
    if (own == kNone) return;
    const spatial::LatticeBox<D> around = tree.boxes[box(block)];
    std::uint64_t bound = inherited(block);
    if (must_walk(block, own, bound)) {
      const std::uint64_t limit = components.weight[own];
      const bool nothing = walk_around(
          tree, level, block,
          [&](std::uint32_t other) {
            return points.block_color[other] != own &&
                   squared_between(around, tree.boxes[other]) <= limit;
          },
          [&](std::uint32_t other) {
            for (std::uint32_t i = other * kFan, end = tree.end_of(other); i < end; ++i)
              if (points.color[i] != own && squared_between(tree.points[i], around) <= limit)
                return false;
            return true;
          });
      if (nothing) bound = limit + 1;
    }
    block_bound[box(block)] = bound;
  }
};

// For all blocks of a level. An executor may have its own.
template <int D, class Exec>
void bound_blocks(Exec& exec, const BoundBlocks<D>& bound, std::uint32_t blocks) {
  parallel_for(exec, "bounds", blocks, bound);
}

// Of points whose component may have a nearer edge than it knows.
template <int D>
struct IsNeedy {
  TreeOfColors<D> points;
  PointState state;
  ComponentState components;
  const std::uint64_t* block_bound;
  HALOSCOPE_HD bool operator()(std::uint32_t i) const {
    if (state.candidate[i] != kNone) return false;
    const std::uint32_t own = points.color[i];
    if (components.waits(own)) return false;
    const std::uint64_t limit = components.weight[own];
    return state.bound[i] <= limit && block_bound[i / kFan] <= limit;
  }
};

template <int D>
struct MarkNeedyBlocks {
  IsNeedy<D> is_needy;
  std::uint8_t* needy;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const auto block = std::uint32_t(b);
    bool any = false;
    for (std::uint32_t i = block * kFan, end = is_needy.points.tree.end_of(block); i < end; ++i)
      any = any || is_needy(i);
    needy[b] = any;
  }
};

struct MarkUpperNeedyBlocks {
  spatial::BlockLevels levels;
  int level;
  std::uint8_t* needy;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const std::uint8_t* const below = needy + levels.begin[level - 1];
    const auto begin = std::uint32_t(b) * kFan;
    bool any = false;
    for (std::uint32_t k = 0; k < kFan && begin + k < levels.blocks[level - 1]; ++k)
      any = any || below[begin + k];
    needy[levels.begin[level] + b] = any;
  }
};

struct MarkRoots {
  const std::uint32_t* up;
  std::uint32_t* is_root;
  HALOSCOPE_HD void operator()(std::size_t c) const { is_root[c] = up[c] == c; }
};

struct MoveSizes {
  const std::uint32_t *up, *number, *size;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    if (up[c] == c) to[number[c]] = size[c];
  }
};

struct NumberColors {
  const std::uint32_t *up, *number;
  std::uint32_t* color;
  HALOSCOPE_HD void operator()(std::size_t i) const { color[i] = number[up[color[i]]]; }
};

struct AddSizes {
  const std::uint32_t *joining, *up;
  std::uint32_t* size;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    atomic_add(size + up[joining[k]], size[joining[k]]);
  }
};

template <int D>
struct SearchTree {
  TreeOfColors<D> points;
  const std::uint32_t* searching;
  PointState state;
  ComponentState components;

  HALOSCOPE_HD void operator()(std::size_t s) const {
    const std::uint32_t i = searching[s], own = points.color[i];
    const BlockTreeView<D>& tree = points.tree;
    const LatticePoint<D> point = tree.points[i];
    const std::uint64_t core = points.core_of(i);
    std::uint64_t limit = atomic_load(components.weight + own);
    MetEdge best;
    const auto see = [&](std::uint32_t j) {
      if (points.color[j] == own) return;
      const std::uint64_t weight = points.weight(i, j);
      if (weight > limit) return;
      const std::uint64_t ends = points.ends(i, j);
      if (!best.is_behind(weight, ends)) return;
      best = {weight, ends, j};
      limit = weight;
    };
    const auto wanted = [&](std::uint32_t box) {
      if (points.block_color[box] == own) return false;
      // Others of the component may have found something nearer meanwhile.
      const std::uint64_t known = atomic_load(components.weight + own);
      limit = known < limit ? known : limit;
      std::uint64_t least = squared_between(point, tree.boxes[box]);
      least = least < core ? core : least;
      if (least != limit) return least < limit;
      return best.weight != limit || ends_key(point.row, points.least_row[box]) < best.ends;
    };
    const std::uint32_t block = i / kFan;
    for (std::uint32_t j = block * kFan, end = tree.end_of(block); j < end; ++j) see(j);
    for_points_around(tree, block, wanted, see);
    if (best.to != kNone && best.weight <= limit) {
      state.candidate[i] = best.to;
      state.bound[i] = best.weight;
      atomic_minimum(components.weight + own, best.weight);
    } else {
      state.bound[i] = limit + 1;
    }
  }
};

// The least ends among the candidates of the least weight.
template <int D>
struct TakeLeastEnds {
  TreeOfColors<D> points;
  PointState state;
  ComponentState components;
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const std::uint32_t own = points.color[i];
    if (state.candidate[i] == kNone || state.bound[i] != components.weight[own]) return;
    atomic_minimum(components.ends + own, points.ends(i, state.candidate[i]));
  }
};

template <int D>
struct TakeFrom {
  TreeOfColors<D> points;
  PointState state;
  ComponentState components;
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const std::uint32_t own = points.color[i];
    if (state.candidate[i] == kNone || state.bound[i] != components.weight[own]) return;
    if (points.ends(i, state.candidate[i]) == components.ends[own]) components.from[own] = i;
  }
};

// Where each component goes; it brings its edge, but of two that take one the first stays.
struct JoinComponents {
  const std::uint32_t* color;
  const std::uint32_t* candidate;
  ComponentState components;
  std::uint32_t* up;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    const auto i = std::uint32_t(c);
    up[i] = i;
    const std::uint64_t ends = components.ends[i];
    if (ends == kNoEdge) return;
    const std::uint32_t other = color[candidate[components.from[i]]];
    if (components.ends[other] != ends || i > other) up[i] = other;
  }
};

struct BringsEdge {
  const std::uint32_t* up;
  HALOSCOPE_HD bool operator()(std::uint32_t i) const { return up[i] != i; }
};

struct WriteEdges {
  ComponentState components;
  const std::uint32_t *joining, *candidate;
  std::uint32_t *from, *to;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    from[k] = components.from[joining[k]];
    to[k] = candidate[from[k]];
  }
};

// The color of a block, where it has one, and its least row.
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

// Distances to the `rank`-th nearest other point, exact though lists may be in the order of rounded
// distances.
template <int D>
struct CoreFromLists {
  BlockTreeView<D> tree;
  const std::uint32_t* neighbors;
  int k, rank;
  std::uint64_t* core;

  HALOSCOPE_HD std::uint64_t squared(std::uint32_t i, int n) const {
    return squared_between(tree.points[i], tree.points[neighbors[std::size_t(n) * tree.count + i]]);
  }
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const float rounded = rounded_down(squared(i, rank - 1));
    const bool is_whole = std::uint32_t(k) + 1 == tree.count;
    // Below 2²⁴ nothing is rounded.
    if (!is_whole && rounded >= 0x1p24f && rounded_down(squared(i, k - 1)) == rounded) {
      // The list may leave out some that round to the same.
      core[i] = nearest_pairs<SpanningTreeSettings::kMostSamples>(tree, i, rank).farthest();
      return;
    }
    int begin = rank - 1, end = rank;
    while (begin > 0 && rounded_down(squared(i, begin - 1)) == rounded) --begin;
    while (end < k && rounded_down(squared(i, end)) == rounded) ++end;
    // Of those that round alike the one of that rank.
    for (int n = begin; n < end; ++n) {
      const std::uint64_t own = squared(i, n);
      int before = begin;
      for (int m = begin; m < end; ++m) {
        const std::uint64_t other = squared(i, m);
        before += other < own || (other == own && m < n);
      }
      if (before == rank - 1) core[i] = own;
    }
  }
};

template <int D>
struct CoreByRow {
  BlockTreeView<D> tree;
  const std::uint64_t* core;
  std::uint64_t* by_row;
  HALOSCOPE_HD void operator()(std::size_t i) const { by_row[tree.points[i].row] = core[i]; }
};

// Edges between places, in an order.
template <int D>
struct EdgesInOrder {
  TreeOfColors<D> points;
  const std::uint32_t *from, *to, *order;
  HALOSCOPE_HD std::uint64_t ends(std::size_t k) const {
    return points.ends(from[order[k]], to[order[k]]);
  }
  HALOSCOPE_HD std::uint64_t weight(std::size_t k) const {
    return points.weight(from[order[k]], to[order[k]]);
  }
};

template <int D>
struct EndsOfEdges {
  EdgesInOrder<D> edges;
  std::uint64_t* keys;
  HALOSCOPE_HD void operator()(std::size_t k) const { keys[k] = edges.ends(k); }
};

template <int D>
struct WeightsOfEdges {
  EdgesInOrder<D> edges;
  std::uint64_t* keys;
  HALOSCOPE_HD void operator()(std::size_t k) const { keys[k] = edges.weight(k); }
};

template <int D>
struct RowsOfEdges {
  EdgesInOrder<D> edges;
  std::uint32_t *a, *b;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint64_t both = edges.ends(k);
    a[k] = std::uint32_t(both >> 32);
    b[k] = std::uint32_t(both);
  }
};

// What SpanningTree says, where the executor reads it.
template <class Exec>
struct SpanningTreeOn {
  std::uint32_t points = 0;
  Buffer<std::uint32_t, Exec> a, b;
  Buffer<std::uint64_t, Exec> squared_weight, squared_core;
};

template <int D, class Exec>
class SpanningTreeMaker {
 public:
  SpanningTreeMaker(Exec& exec, const SpanningTreeSettings& settings, Progress& progress,
                    Phases<Exec>& phases, SpanningTreeWork* work)
      : exec_(exec), settings_(settings), progress_(progress), phases_(phases), work_(work) {}

  // Calls placed() where the columns are not read any more.
  template <class Placed>
  SpanningTreeOn<Exec> make(const spatial::Columns<D>& columns, std::uint32_t count,
                            const Placed& placed) {
    count_ = count;
    phases_.begin("tree");
    tree_ = spatial::build_block_tree<D>(exec_, columns, count);
    placed();
    SpanningTreeOn<Exec> made;
    made.points = count;
    if (count >= 2) {
      find_neighbors();
      phases_.begin("rounds");
      connect();
      phases_.begin("order");
      write(made);
    }
    return made;
  }

 private:
  // Longer lists certify more and cost more.
  static constexpr int kFewestNeighbors = 8, kMoreThanCore = 4;
  static constexpr std::uint64_t kLarge = 4;
  // The level of the largest blocks that are bounded as one, of 512 points.
  static constexpr int kHighestBound = 2;

  void find_neighbors() {
    phases_.begin("neighbors");
    progress_.report("nearest neighbors", 0);
    const int core = settings_.min_samples - 1;  // of other points
    k_ = int(std::min<std::uint32_t>(
        count_ - 1,
        std::uint32_t(std::max(kFewestNeighbors, core > 0 ? core + kMoreThanCore : 0))));
    neighbors_ = Buffer<std::uint32_t, Exec>(exec_, std::size_t(k_) * count_, "neighbors");
    list_nearest(exec_, tree_.view(), NeighborLists{k_, neighbors_.data()});
    if (core == 0) return;
    core_ = Buffer<std::uint64_t, Exec>(exec_, count_, "core distances");
    parallel_for(exec_, "core distances", count_,
                 CoreFromLists<D>{tree_.view(), neighbors_.data(), k_, core, core_.data()});
  }

  void connect() {
    const auto room = [this](auto& buffer) {
      using B = std::remove_reference_t<decltype(buffer)>;
      buffer = B(exec_, count_, "spanning tree");
    };
    Buffer<std::uint32_t, Exec> color, up, candidate, from, list, size,
        flag(exec_, 1, "spanning tree");
    Buffer<std::uint64_t, Exec> bound, weight, ends;
    for (auto* words : {&color, &up, &candidate, &from, &list, &size, &edge_from_, &edge_to_})
      room(*words);
    for (auto* words : {&bound, &weight, &ends}) room(*words);
    Buffer<std::uint32_t, Exec> block_color(exec_, tree_.levels.all(), "spanning tree"),
        least_row(exec_, tree_.levels.all(), "spanning tree");
    Buffer<std::uint64_t, Exec> block_bound(exec_, tree_.levels.all(), "spanning tree");
    exec_.zero(block_bound.data(), block_bound.size() * sizeof(std::uint64_t));
    Buffer<std::uint8_t, Exec> needy(exec_, tree_.levels.all(), "spanning tree");
    const BlockTreeView<D> view = tree_.view();
    const TreeOfColors<D> points{view, core_.empty() ? nullptr : core_.data(), color.data(),
                                 block_color.data(), least_row.data()};
    const PointState state{candidate.data(), bound.data()};
    const BlockLevelsPass pass{tree_.levels};

    thrust::sequence(exec_.policy(), color.begin(), color.end());
    thrust::fill(exec_.policy(), candidate.begin(), candidate.end(), kNone);
    exec_.zero(bound.data(), count_ * sizeof(std::uint64_t));
    thrust::fill(exec_.policy(), size.begin(), size.end(), 1u);
    parallel_for(exec_, "least rows", tree_.levels.blocks[0], LeastRows<D>{view, least_row.data()});
    pass.up([&](int level, std::uint32_t blocks) {
      parallel_for(exec_, "least rows", blocks,
                   LeastUpperRows{tree_.levels, level, least_row.data()});
    });
    const thrust::counting_iterator<std::uint32_t> place(0);
    for (std::uint32_t found = 0; found + 1 < count_;) {
      progress_.report("spanning tree", double(found) / double(count_));
      // Components are called by numbers below `left`.
      const std::uint32_t left = count_ - found;
      const ComponentState components{
          weight.data(), ends.data(), from.data(), size.data(),
          // So few are more than `kLarge` times as large as most are that most go on.
          std::uint32_t(std::min<std::uint64_t>(count_, kLarge * std::uint64_t(count_) / left))};
      Laps laps(*this, left);
      parallel_for(exec_, "colors", tree_.levels.blocks[0],
                   ColorBlocks<D>{view, color.data(), block_color.data()});
      pass.up([&](int level, std::uint32_t blocks) {
        parallel_for(exec_, "colors", blocks,
                     ColorUpperBlocks{tree_.levels, level, block_color.data()});
      });
      thrust::fill_n(exec_.policy(), weight.data(), left, kFarAway);
      thrust::fill_n(exec_.policy(), ends.data(), left, kNoEdge);
      parallel_for(exec_, "candidates", count_,
                   ProposeFromLists<D>{points, neighbors_.data(), k_, state, components});
      laps.end(&SpanningTreeWork::Round::candidates);
      const IsNeedy<D> is_needy{points, state, components, block_bound.data()};
      parallel_for(exec_, "bounds", tree_.levels.blocks[0],
                   MarkNeedyBlocks<D>{is_needy, needy.data()});
      const int highest = std::min(kHighestBound, tree_.levels.count - 1);
      for (int level = 1; level <= highest; ++level)
        parallel_for(exec_, "bounds", tree_.levels.blocks[level],
                     MarkUpperNeedyBlocks{tree_.levels, level, needy.data()});
      for (int level = highest; level >= 0; --level)
        bound_blocks(exec_,
                     BoundBlocks<D>{points, components, level, needy.data(), block_bound.data()},
                     tree_.levels.blocks[level]);
      const auto* const end =
          thrust::copy_if(exec_.policy(), place, place + count_, list.data(), is_needy);
      const auto searched = std::uint32_t(end - list.data());
      laps.end(&SpanningTreeWork::Round::bounds);
      parallel_for(exec_, "searches", searched,
                   SearchTree<D>{points, list.data(), state, components});
      laps.end(&SpanningTreeWork::Round::searches);
      parallel_for(exec_, "edges", count_, TakeLeastEnds<D>{points, state, components});
      parallel_for(exec_, "edges", count_, TakeFrom<D>{points, state, components});
      parallel_for(exec_, "components", left,
                   JoinComponents{color.data(), candidate.data(), components, up.data()});
      const auto* const last =
          thrust::copy_if(exec_.policy(), place, place + left, list.data(), BringsEdge{up.data()});
      const auto joins = std::uint32_t(last - list.data());
      parallel_for(exec_, "edges", joins,
                   WriteEdges{components, list.data(), candidate.data(), edge_from_.data() + found,
                              edge_to_.data() + found});
      found += joins;
      hierarchy::shorten(exec_, up.data(), 0, left, flag.data());
      parallel_for(exec_, "components", joins, AddSizes{list.data(), up.data(), size.data()});
      // Those that are left get numbers without gaps.
      std::uint32_t* const number = from.data();
      parallel_for(exec_, "components", left, MarkRoots{up.data(), number});
      thrust::exclusive_scan(exec_.policy(), number, number + left, number);
      parallel_for(exec_, "components", left,
                   MoveSizes{up.data(), number, size.data(), list.data()});
      std::swap(size, list);
      parallel_for(exec_, "colors", count_, NumberColors{up.data(), number, color.data()});
      laps.end(&SpanningTreeWork::Round::joining);
      laps.searched(searched);
    }
    neighbors_ = {};
  }

  // Times the parts of a round, for those who ask.
  class Laps {
   public:
    Laps(SpanningTreeMaker& maker, std::uint64_t components) : maker_(maker) {
      if (maker.work_) maker.work_->rounds.push_back({components});
      start();
    }
    void end(double SpanningTreeWork::Round::*part) {
      if (!maker_.work_) return;
      const auto began = began_;
      start();
      maker_.work_->rounds.back().*part +=
          std::chrono::duration<double, std::milli>(began_ - began).count();
    }
    void searched(std::uint64_t points) {
      if (maker_.work_) maker_.work_->rounds.back().searched = points;
    }

   private:
    using Clock = std::chrono::steady_clock;
    void start() {
      if (!maker_.work_) return;
      maker_.exec_.synchronize();
      began_ = Clock::now();
    }
    SpanningTreeMaker& maker_;
    Clock::time_point began_;
  };

  struct BlockLevelsPass {
    const spatial::BlockLevels& levels;
    template <class F>
    void up(const F& f) const {
      for (int level = 1; level < levels.count; ++level) f(level, levels.blocks[level]);
    }
  };

  void write(SpanningTreeOn<Exec>& made) {
    const std::uint32_t edges = count_ - 1;
    Buffer<std::uint32_t, Exec> order(exec_, edges, "spanning tree");
    Buffer<std::uint64_t, Exec> keys(exec_, edges, "spanning tree");
    const auto in_order = [&] {
      return EdgesInOrder<D>{
          {tree_.view(), core_.empty() ? nullptr : core_.data(), nullptr, nullptr, nullptr},
          edge_from_.data(),
          edge_to_.data(),
          order.data()};
    };
    thrust::sequence(exec_.policy(), order.begin(), order.end());
    parallel_for(exec_, "order", edges, EndsOfEdges<D>{in_order(), keys.data()});
    sort_pairs(exec_, keys, order, 64);
    parallel_for(exec_, "order", edges, WeightsOfEdges<D>{in_order(), keys.data()});
    sort_pairs(exec_, keys, order, 64);
    made.squared_weight = std::move(keys);
    made.a = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    made.b = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    parallel_for(exec_, "order", edges, RowsOfEdges<D>{in_order(), made.a.data(), made.b.data()});
    if (core_.empty()) return;
    made.squared_core = Buffer<std::uint64_t, Exec>(exec_, count_, "core distances");
    parallel_for(exec_, "core distances", count_,
                 CoreByRow<D>{tree_.view(), core_.data(), made.squared_core.data()});
  }

  Exec& exec_;
  SpanningTreeSettings settings_;
  Progress& progress_;
  Phases<Exec>& phases_;
  SpanningTreeWork* work_;  // null: nobody asks
  std::uint32_t count_ = 0;
  spatial::BlockTree<D, Exec> tree_;
  int k_ = 0;
  Buffer<std::uint32_t, Exec> neighbors_;
  Buffer<std::uint64_t, Exec> core_;
  // Places, in the order in which edges were found: n of them, of which the last is nobody's.
  Buffer<std::uint32_t, Exec> edge_from_, edge_to_;
};

}  // namespace haloscope::compute::clusters
