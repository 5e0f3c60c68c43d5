#pragma once

#include "compute/clusters/colored_tree.inl"
#include "compute/clusters/foreign_neighbors.inl"
#include "compute/clusters/join_components.inl"
#include "compute/clusters/nearest_lists.inl"
#include "compute/exec/atomics.h"
#include "compute/spatial/block_tree.inl"
#include "core/host_device.h"

// What a search among the points of a rank does for each of them, for either executor.
namespace haloscope::compute::distributed {

using clusters::kFarAway;
using clusters::TreeOfColors;
using hierarchy::ends_key;
using spatial::BlockTreeView;
using spatial::kFan;
using spatial::LatticeBox;
using spatial::LatticePoint;

// Of points that had answers, the nearest here.
template <int D>
struct NearestHere {
  BlockTreeView<D> tree;
  const std::uint32_t *asking, *places;
  int most;
  std::uint64_t* squared;  // `most` of each that asks
  HALOSCOPE_HD void operator()(std::size_t n) const {
    const std::uint32_t k = asking[n];
    const auto list = clusters::nearest_pairs<clusters::SpanningTreeSettings::kMostSamples>(
        tree, places[k], most);
    for (int i = 0; i < most; ++i)
      squared[std::size_t(k) * std::size_t(most) + std::size_t(i)] = list.squared(i);
  }
};
// Those and the answers of one rank together, both ascending.
struct MergeNearest {
  const std::uint32_t* from;
  const std::uint64_t* heard;
  int most;
  std::uint64_t* squared;
  HALOSCOPE_HD void operator()(std::size_t q) const {
    std::uint64_t* const list = squared + std::size_t(from[q]) * std::size_t(most);
    for (int n = 0; n < most; ++n) {
      const std::uint64_t far = heard[q * std::size_t(most) + std::size_t(n)];
      if (far >= list[most - 1]) return;
      int at = most - 1;
      for (; at > 0 && list[at - 1] > far; --at) list[at] = list[at - 1];
      list[at] = far;
    }
  }
};
struct PutCore {
  const std::uint32_t *asking, *places;
  const std::uint64_t* squared;
  int most;
  std::uint64_t* core;
  HALOSCOPE_HD void operator()(std::size_t n) const {
    const std::uint32_t k = asking[n];
    core[places[k]] = squared[std::size_t(k) * std::size_t(most) + std::size_t(most - 1)];
  }
};
struct MarkAsking {
  const std::uint32_t* from;
  std::uint8_t* asks;
  HALOSCOPE_HD void operator()(std::size_t q) const { atomic_store(asks + from[q], 1); }
};
struct IsMarked {
  const std::uint8_t* marks;
  HALOSCOPE_HD bool operator()(std::uint32_t k) const { return marks[k] != 0; }
};

// A point that asks for what is near it on another rank.
template <int D>
struct PlaceQuery {
  std::uint32_t at[D];
  std::uint32_t row;    // among all points
  std::uint32_t color;  // its component; points of the same one are passed over
  std::uint64_t core;   // squared core distance
  std::uint64_t limit;  // squared: nothing above it is asked for
};

// The first edge, in the order of weights and rows, from a point that asks to one of this rank. Of
// a point that has none, or whose component has a lighter one, the least weight that it may have.
struct EdgeToPart {
  std::uint64_t weight = kFarAway;          // squared
  std::uint64_t ends = hierarchy::kNoEdge;  // rows
  std::uint32_t to = hierarchy::kNone;      // the point's component; kNone: there is no edge
  std::uint32_t unused = 0;

  HALOSCOPE_HD bool is_before(const EdgeToPart& other) const {
    return weight != other.weight ? weight < other.weight : ends < other.ends;
  }
};

// The upper levels of the tree of another rank.
template <int D>
struct OutlineView {
  BlockTreeView<D> tree;             // without points
  const std::uint32_t* block_color;  // null: not known
};

// A box of another rank.
struct BoxOfRank {
  static constexpr int kNone = -1;  // of ranks: there is none yet
  int rank = kNone;
  std::uint32_t box = 0;
};

// The nearest box of other ranks to a point or a box, where that of what is around it is known.
template <int D>
struct NearestBox {
  const OutlineView<D>* others;
  int ranks;

  template <class Shape>
  HALOSCOPE_HD std::uint64_t squared_to(const Shape& shape, BoxOfRank& nearest) const {
    std::uint64_t least = kFarAway;
    if (nearest.rank >= 0)
      least = squared_between(shape, others[nearest.rank].tree.boxes[nearest.box]);
    for (int r = 0; r < ranks; ++r) {
      const BlockTreeView<D>& other = others[r].tree;
      if (other.levels.count == 0) continue;
      walk_block(
          other, other.levels.count - 1, 0,
          [&](std::uint32_t box) { return squared_between(shape, other.boxes[box]) < least; },
          [&](std::uint32_t block) {
            least = squared_between(shape, other.boxes[block]);
            nearest = {r, block};
            return true;
          });
    }
    return least;
  }
};

// How far blocks are from other ranks at least, from the largest down. What lies closely, seen from
// there, is one, and its points have the distance of their block.
struct BlockWay {
  std::uint64_t squared;
  BoxOfRank nearest;
  std::uint32_t is_one;
};
template <int D>
struct WaysOfBlocks {
  static constexpr std::uint64_t kFar = 4;  // squared diagonals: off by a half at most
  BlockTreeView<D> tree;
  NearestBox<D> others;
  int level, top;
  BlockWay* ways;

  HALOSCOPE_HD static std::uint64_t diagonal(const LatticeBox<D>& box) {
    constexpr std::uint32_t kWide = std::uint32_t(1) << 29;
    std::uint64_t sum = 0;
    for (int a = 0; a < D; ++a) {
      const std::uint64_t width = (box.high[a] - box.low[a]) >> box.shift(a);
      if (width > kWide) return kFarAway;
      sum += width * width;
    }
    return sum;
  }
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const auto block = std::uint32_t(b);
    BlockWay way{kFarAway, {}, 0};
    if (level < top) way = ways[tree.box(level + 1, block / kFan)];
    if (!way.is_one) {
      const LatticeBox<D> box = tree.boxes[tree.box(level, block)];
      way.squared = others.squared_to(box, way.nearest);
      way.is_one = way.squared == kFarAway || way.squared / kFar >= diagonal(box);
    }
    ways[tree.box(level, block)] = way;
  }
};
template <int D>
struct WaysOfPoints {
  BlockTreeView<D> tree;
  NearestBox<D> others;
  const BlockWay* ways;
  std::uint64_t* squared;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    BlockWay way = ways[i / kFan];
    squared[i] = way.is_one ? way.squared : others.squared_to(tree.points[i], way.nearest);
  }
};

// Whether a box of another rank lies within the limit, and has points of another component.
template <int D>
struct ReachOutline {
  BlockTreeView<D> tree;
  OutlineView<D> other;
  const std::uint32_t* places;
  const std::uint64_t* limits;
  const std::uint32_t* color;  // null: not known
  HALOSCOPE_HD bool operator()(std::uint32_t k) const {
    const std::uint32_t i = places[k];
    const LatticePoint<D> point = tree.points[i];
    const std::uint64_t limit = limits[k];
    if (other.tree.levels.count == 0) return false;
    const std::uint32_t own = color ? color[i] : hierarchy::kNone;
    const bool nothing = walk_block(
        other.tree, other.tree.levels.count - 1, 0,
        [&](std::uint32_t box) {
          if (other.block_color && own != hierarchy::kNone && other.block_color[box] == own)
            return false;
          return squared_between(point, other.tree.boxes[box]) <= limit;
        },
        [](std::uint32_t) { return false; });
    return !nothing;
  }
};

template <int D>
struct WriteQueries {
  TreeOfColors<D> points;  // colors may be null
  const std::uint32_t *places, *from;
  const std::uint64_t* limits;
  PlaceQuery<D>* queries;
  HALOSCOPE_HD void operator()(std::size_t q) const {
    const std::uint32_t k = from[q], i = places[k];
    const LatticePoint<D> point = points.tree.points[i];
    PlaceQuery<D> query;
    for (int a = 0; a < D; ++a) query.at[a] = point.at[a];
    query.row = point.row;
    query.color = points.color ? points.color[i] : hierarchy::kNone;
    query.core = points.core_of(i);
    query.limit = limits[k];
    queries[q] = query;
  }
};

template <int D>
HALOSCOPE_HD LatticePoint<D> point_of(const PlaceQuery<D>& query, std::uint32_t shift) {
  LatticePoint<D> point;
  point.set_shift(shift);
  for (int a = 0; a < D; ++a) point.at[a] = query.at[a];
  point.row = query.row;
  return point;
}

template <int D>
struct NearestOfQuery {
  BlockTreeView<D> tree;
  const PlaceQuery<D>* queries;
  std::uint32_t shift;
  int most;
  std::uint64_t* squared;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const PlaceQuery<D>& query = queries[k];
    const LatticePoint<D> point = point_of(query, shift);
    clusters::NearestPairs<clusters::SpanningTreeSettings::kMostSamples> list(most);
    const auto fits = [&](std::uint64_t at) { return at <= query.limit && at < list.farthest(); };
    if (tree.count > 0)
      walk_block(
          tree, tree.levels.count - 1, 0,
          [&](std::uint32_t box) { return fits(squared_between(point, tree.boxes[box])); },
          [&](std::uint32_t block) {
            for (std::uint32_t i = block * kFan, end = tree.end_of(block); i < end; ++i) {
              const std::uint64_t at = squared_between(point, tree.points[i]);
              if (fits(at)) list.insert(at, i);
            }
            return true;
          });
    for (int n = 0; n < most; ++n)
      squared[k * std::size_t(most) + std::size_t(n)] = list.squared(n);
  }
};

HALOSCOPE_HD inline std::uint64_t just_above(std::uint64_t squared) {
  return squared == kFarAway ? kFarAway : squared + 1;
}

template <int D>
struct FirstEdgeOfQuery {
  TreeOfColors<D> points;
  const PlaceQuery<D>* queries;
  std::uint32_t shift;
  std::uint64_t* lightest;  // of each component, the lightest edge that its points have met here
  EdgeToPart* edges;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const PlaceQuery<D>& query = queries[k];
    const BlockTreeView<D>& tree = points.tree;
    const LatticePoint<D> point = point_of(query, shift);
    std::uint64_t limit = query.limit;
    clusters::MetEdge best;
    const auto wanted = [&](std::uint32_t box) {
      if (points.block_color[box] == query.color) return false;
      const std::uint64_t known = atomic_load(lightest + query.color);
      limit = known < limit ? known : limit;
      std::uint64_t least = squared_between(point, tree.boxes[box]);
      least = least < query.core ? query.core : least;
      if (least != limit) return least < limit;
      return best.weight != limit || ends_key(query.row, points.least_row[box]) < best.ends;
    };
    const auto see = [&](std::uint32_t i) {
      if (points.color[i] == query.color) return;
      std::uint64_t weight = squared_between(point, tree.points[i]);
      const std::uint64_t core = points.core_of(i), most = core < query.core ? query.core : core;
      weight = weight < most ? most : weight;
      if (weight > limit) return;
      const std::uint64_t ends = ends_key(query.row, tree.points[i].row);
      if (!best.is_behind(weight, ends)) return;
      best = {weight, ends, points.color[i]};
      limit = weight;
    };
    if (tree.count > 0)
      walk_block(tree, tree.levels.count - 1, 0, wanted, [&](std::uint32_t block) {
        for (std::uint32_t i = block * kFan, end = tree.end_of(block); i < end; ++i) see(i);
        return true;
      });
    if (best.to != hierarchy::kNone && best.weight <= limit) {
      atomic_minimum(lightest + query.color, best.weight);
      edges[k] = {best.weight, best.ends, best.to};
    } else {
      edges[k] = {just_above(limit), hierarchy::kNoEdge, hierarchy::kNone};
    }
  }
};

// Of points whose core distance among all may be less than that here.
struct MayBeNearer {
  const std::uint64_t *way, *core;
  HALOSCOPE_HD bool operator()(std::uint32_t i) const { return way[i] < core[i]; }
};
struct BelowCore {
  const std::uint32_t* places;
  const std::uint64_t* core;
  std::uint64_t* limits;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint64_t own = core[places[k]];
    limits[k] = own == kFarAway ? kFarAway : own - 1;
  }
};

// An edge is no lighter than the core distance of either end.
struct RaiseWays {
  const std::uint64_t* core;
  std::uint64_t* way;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    if (way[i] < core[i]) way[i] = core[i];
  }
};

}  // namespace haloscope::compute::distributed
