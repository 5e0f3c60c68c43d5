#pragma once

#include "compute/clusters/colored_tree.inl"
#include "compute/clusters/nearest_lists.inl"
#include "compute/exec/atomics.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// The nearest foreign neighbor of points: the nearest one of another component.
namespace haloscope::compute::clusters {

inline constexpr std::uint32_t kNotInList = kNone;

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
  std::uint32_t* candidate;  // kNotInList: not known, and the list does not tell
  std::uint64_t* bound;      // the candidate's weight; without one, nothing foreign lies below

  HALOSCOPE_HD bool has_candidate(std::uint32_t i) const { return candidate[i] != kNotInList; }
};

// What components take; they are called by numbers, the colors of their points. Those of more than
// `most` points take no edge and wait until others take them: as few of all are so large, nearly as
// many are joined, and a halo that grows need not ask all its points again in each round.
struct ComponentState {
  std::uint64_t *weight, *ends;
  std::uint32_t* from;  // the point that the edge leaves
  std::uint32_t* size;  // points
  std::uint32_t most;
  // Only edges below this are looked for; null: all are. Components where it is 0 wait.
  const std::uint64_t* way = nullptr;

  HALOSCOPE_HD bool waits(std::uint32_t color) const {
    return size[color] > most || (way && way[color] == 0);
  }
};

// What the list of point i says of its nearest foreign neighbor.
template <int D>
struct ListedNeighbors {
  TreeOfColors<D> points;
  NeighborLists lists;

  // Nothing that the list leaves out lies below this.
  HALOSCOPE_HD std::uint64_t outside(std::uint32_t i) const {
    const std::uint32_t count = points.tree.count;
    if (std::uint32_t(lists.k) + 1 == count) return kFarAway;
    const std::uint32_t last = lists.place[std::size_t(lists.k - 1) * count + i];
    const std::uint64_t squared =
        nothing_below(squared_between(points.tree.points[i], points.tree.points[last]));
    const std::uint64_t core = points.core_of(i);
    return squared < core ? core : squared;
  }
  template <class IsForeign>
  HALOSCOPE_HD MetEdge best(std::uint32_t i, const IsForeign& is_foreign) const {
    MetEdge best;
    for (int n = 0; n < lists.k; ++n) {
      const std::uint32_t j = lists.place[std::size_t(n) * points.tree.count + i];
      if (!is_foreign(j)) continue;
      const std::uint64_t weight = points.weight(i, j), ends = points.ends(i, j);
      // The list is in the order of distances in float32, which are 2⁻²³ apart at most.
      if (best.to != kNone && weight > best.weight &&
          weight - best.weight > (best.weight >> 23) + 1) {
        if (!points.core) break;
        continue;
      }
      if (best.is_behind(weight, ends)) best = {weight, ends, j};
    }
    return best;
  }
  // What is left out may have the weight of the last, and smaller ends.
  HALOSCOPE_HD void keep(std::uint32_t i, const MetEdge& best, std::uint64_t outside,
                         const PointState& state) const {
    const bool is_sure = best.to != kNone && best.weight < outside;
    state.candidate[i] = is_sure ? best.to : kNotInList;
    state.bound[i] = is_sure ? best.weight : outside;
  }
};

// While all other points are foreign.
template <int D>
struct ProposeFirst {
  TreeOfColors<D> points;
  NeighborLists lists;
  PointState state;
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const ListedNeighbors<D> listed{points, lists};
    listed.keep(i, listed.best(i, [](std::uint32_t) { return true; }), listed.outside(i), state);
  }
};

template <int D>
struct ProposeFromLists {
  TreeOfColors<D> points;
  NeighborLists lists;
  PointState state;
  ComponentState components;

  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const std::uint32_t candidate = state.candidate[i];
    if (candidate == kNotInList) return;
    const std::uint32_t own = points.color[i];
    if (components.waits(own)) return;
    if (points.color[candidate] != own) {
      atomic_minimum(components.weight + own, state.bound[i]);
      return;
    }
    const ListedNeighbors<D> listed{points, lists};
    const std::uint64_t outside = listed.outside(i);
    if (state.bound[i] >= outside) {
      state.candidate[i] = kNotInList;
      return;
    }
    const MetEdge best = listed.best(i, [&](std::uint32_t j) { return points.color[j] != own; });
    if (best.to != kNone) atomic_minimum(components.weight + own, best.weight);
    listed.keep(i, best, outside, state);
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
  std::uint32_t* list;         // room for the blocks of the level, for executors that need it

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
    // The last block may have fewer points than others.
    if (i >= points.tree.count || state.has_candidate(i)) return false;
    const std::uint32_t own = points.color[i];
    if (components.waits(own)) return false;
    const std::uint64_t limit = components.weight[own];
    return state.bound[i] <= limit && block_bound[i / kFan] <= limit;
  }
};

// The least bound of all points is one of their block too: mostly it tells next time that nobody
// is.
template <int D>
struct MarkNeedyBlocks {
  IsNeedy<D> is_needy;
  std::uint8_t* needy;
  std::uint64_t* block_bound;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const auto block = std::uint32_t(b);
    const std::uint32_t own = is_needy.points.block_color[block];
    const ComponentState& components = is_needy.components;
    if (own != kNone && (components.waits(own) || block_bound[block] > components.weight[own])) {
      needy[b] = 0;
      return;
    }
    bool any = false;
    std::uint64_t least = kFarAway;
    for (std::uint32_t i = block * kFan, end = is_needy.points.tree.end_of(block); i < end; ++i) {
      any = any || is_needy(i);
      if (is_needy.state.bound[i] < least) least = is_needy.state.bound[i];
    }
    needy[b] = any;
    if (block_bound[block] < least) block_bound[block] = least;
  }
};

// Blocks with points that are needy still, when bounds have risen.
template <int D>
struct IsNeedyBlock {
  IsNeedy<D> is_needy;
  const std::uint8_t* needy;
  HALOSCOPE_HD bool operator()(std::uint32_t block) const {
    if (!needy[block]) return false;
    const std::uint32_t own = is_needy.points.block_color[block];
    return own == kNone || is_needy.block_bound[block] <= is_needy.components.weight[own];
  }
};

// The points of blocks, one after the other.
struct PointsOfBlocks {
  const std::uint32_t* blocks;
  HALOSCOPE_HD std::uint32_t operator()(std::uint64_t k) const {
    return blocks[k / kFan] * kFan + std::uint32_t(k % kFan);
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
    keep(i, own, best, limit);
  }
  HALOSCOPE_HD void keep(std::uint32_t i, std::uint32_t own, const MetEdge& best,
                         std::uint64_t limit) const {
    if (best.to != kNone && best.weight <= limit) {
      state.candidate[i] = best.to;
      state.bound[i] = best.weight;
      atomic_minimum(components.weight + own, best.weight);
    } else {
      state.bound[i] = limit + 1;
    }
  }
};

// For points that need it. An executor may have its own.
template <int D, class Exec>
void search_tree(Exec& exec, const SearchTree<D>& search, std::size_t searched) {
  parallel_for(exec, "searches", searched, search);
}

}  // namespace haloscope::compute::clusters
