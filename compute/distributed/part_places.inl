#pragma once

#include "compute/clusters/colored_tree.inl"
#include "compute/clusters/foreign_neighbors.inl"
#include "compute/clusters/join_components.inl"
#include "compute/clusters/nearest_lists.inl"
#include "compute/distributed/part_search.h"
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

template <int D>
struct NearestHere {
  BlockTreeView<D> tree;
  const std::uint32_t* places;
  int most;
  std::uint64_t* squared;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto list = clusters::nearest_pairs<clusters::SpanningTreeSettings::kMostSamples>(
        tree, places[k], most);
    for (int n = 0; n < most; ++n)
      squared[k * std::size_t(most) + std::size_t(n)] = list.squared(n);
  }
};

// The upper levels of the tree of another rank.
template <int D>
struct OutlineView {
  BlockTreeView<D> tree;             // without points
  const std::uint32_t* block_color;  // null: not known
};

// The nearest box of other ranks. What was nearest to the shape before is mostly near.
template <int D>
class NearestBox {
 public:
  HALOSCOPE_HD NearestBox(const OutlineView<D>* others, int ranks)
      : others_(others), ranks_(ranks) {}

  // From a point or a box.
  template <class Shape>
  HALOSCOPE_HD std::uint64_t squared_to(const Shape& shape) {
    std::uint64_t least = kFarAway;
    if (rank_ >= 0) least = squared_between(shape, others_[rank_].tree.boxes[box_]);
    for (int r = 0; r < ranks_; ++r) {
      const BlockTreeView<D>& other = others_[r].tree;
      if (other.levels.count == 0) continue;
      walk_block(
          other, other.levels.count - 1, 0,
          [&](std::uint32_t box) { return squared_between(shape, other.boxes[box]) < least; },
          [&](std::uint32_t block) {
            least = squared_between(shape, other.boxes[block]);
            rank_ = r;
            box_ = block;
            return true;
          });
    }
    return least;
  }

 private:
  const OutlineView<D>* others_;
  int ranks_, rank_ = -1;
  std::uint32_t box_ = 0;
};

// How far each point is from other ranks at least. Of points that lie closely, seen from there, the
// distance of their block is taken.
template <int D>
struct DistanceToOthers {
  static constexpr std::uint64_t kFar = 64;  // squared diagonals: off by an eighth at most
  // Level of the largest blocks. Each level is a function of its own: a GPU has no deep stack.
  static constexpr int kHighest = 1;
  BlockTreeView<D> tree;
  const OutlineView<D>* others;
  int ranks;
  std::uint64_t* squared;  // by place

  HALOSCOPE_HD static int highest(const spatial::BlockLevels& levels) {
    return levels.count > kHighest ? kHighest : levels.count - 1;
  }
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
  HALOSCOPE_HD void operator()(std::size_t block) const {
    NearestBox<D> nearest(others, ranks);
    if (highest(tree.levels) == kHighest)
      measure<kHighest>(std::uint32_t(block), nearest);
    else
      measure<0>(std::uint32_t(block), nearest);
  }
  template <int Level>
  HALOSCOPE_HD void measure(std::uint32_t block, NearestBox<D>& nearest) const {
    const LatticeBox<D>& box = tree.boxes[tree.box(Level, block)];
    const std::uint64_t least = nearest.squared_to(box);
    constexpr std::uint32_t kPerBlock = Level == 0 ? kFan : kFan * kFan;
    const std::uint64_t begin = std::uint64_t(block) * kPerBlock, wanted = begin + kPerBlock;
    const auto end = std::uint32_t(wanted < tree.count ? wanted : tree.count);
    if (least == kFarAway || least / kFar >= diagonal(box)) {
      for (auto i = std::uint32_t(begin); i < end; ++i) squared[i] = least;
    } else if constexpr (Level > 0) {
      for (std::uint32_t k = 0; k < kFan; ++k)
        if (block * kFan + k < tree.levels.blocks[0]) measure<0>(block * kFan + k, nearest);
    } else {
      for (auto i = std::uint32_t(begin); i < end; ++i)
        squared[i] = nearest.squared_to(tree.points[i]);
    }
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
  PlaceQuery* queries;
  HALOSCOPE_HD void operator()(std::size_t q) const {
    const std::uint32_t k = from[q], i = places[k];
    const LatticePoint<D> point = points.tree.points[i];
    PlaceQuery query{};
    for (int a = 0; a < D; ++a) query.at[a] = point.at[a];
    query.row = point.row;
    query.color = points.color ? points.color[i] : hierarchy::kNone;
    query.core = points.core_of(i);
    query.limit = limits[k];
    queries[q] = query;
  }
};

template <int D>
HALOSCOPE_HD LatticePoint<D> point_of(const PlaceQuery& query, std::uint32_t shift) {
  LatticePoint<D> point;
  point.set_shift(shift);
  for (int a = 0; a < D; ++a) point.at[a] = query.at[a];
  point.row = query.row;
  return point;
}

template <int D>
struct NearestOfQuery {
  BlockTreeView<D> tree;
  const PlaceQuery* queries;
  std::uint32_t shift;
  int most;
  std::uint64_t* squared;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const PlaceQuery& query = queries[k];
    const LatticePoint<D> point = point_of<D>(query, shift);
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

template <int D>
struct FirstEdgeOfQuery {
  TreeOfColors<D> points;
  const PlaceQuery* queries;
  std::uint32_t shift;
  EdgeToPart* edges;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const PlaceQuery& query = queries[k];
    const BlockTreeView<D>& tree = points.tree;
    const LatticePoint<D> point = point_of<D>(query, shift);
    std::uint64_t limit = query.limit;
    clusters::MetEdge best;
    const auto wanted = [&](std::uint32_t box) {
      if (points.block_color[box] == query.color) return false;
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
    edges[k] = {best.weight, best.ends, best.to};
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

template <class T>
struct PutAtPlaces {
  const std::uint32_t* places;
  const T* values;  // null: zeros
  T* to;
  HALOSCOPE_HD void operator()(std::size_t k) const { to[places[k]] = values ? values[k] : T(0); }
};

template <int D>
struct LinksOfEdges {
  TreeOfColors<D> points;
  const std::uint64_t* edge;  // ends_key() of places
  const std::uint32_t* fragment;
  Link* links;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t from = clusters::lower_end(edge[k]), to = clusters::upper_end(edge[k]);
    links[k] = {{points.weight(from, to), points.ends(from, to)}, fragment[from], fragment[to]};
  }
};

struct EdgesInOrder {
  const std::uint32_t* order;
  const std::uint64_t *weight, *ends;  // of each number
  TreeEdge* edges;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    edges[k] = {weight[order[k]], ends[order[k]]};
  }
};

struct ColorFragments {
  const std::uint32_t *fragment, *component;
  std::uint32_t* color;
  HALOSCOPE_HD void operator()(std::size_t i) const { color[i] = component[fragment[i]]; }
};

struct IsWithoutLink {
  const std::uint64_t *way, *limit;  // the limit of each component
  const std::uint32_t* color;
  const std::uint8_t* linked;
  HALOSCOPE_HD bool operator()(std::uint32_t i) const {
    return !linked[i] && way[i] <= limit[color[i]];
  }
};
struct LimitsOfPlaces {
  const std::uint32_t *places, *color;
  const std::uint64_t* limit;
  std::uint64_t* limits;
  HALOSCOPE_HD void operator()(std::size_t k) const { limits[k] = limit[color[places[k]]]; }
};

// The shortest way of each component that knows no limit, and its first point with it.
struct ShortestWays {
  const std::uint64_t *way, *limit;
  const std::uint32_t* color;
  std::uint64_t* shortest;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t own = color[i];
    if (limit[own] == kFarAway) atomic_minimum(shortest + own, way[i]);
  }
};
struct FirstOfShortest {
  const std::uint64_t *way, *limit, *shortest;
  const std::uint32_t* color;
  std::uint32_t* seed;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t own = color[i];
    if (limit[own] == kFarAway && way[i] == shortest[own])
      atomic_minimum(seed + own, std::uint32_t(i));
  }
};

template <int D>
struct RowsOfPart {
  BlockTreeView<D> tree;
  std::uint32_t* rows;
  HALOSCOPE_HD void operator()(std::size_t i) const { rows[i] = tree.points[i].row; }
};

}  // namespace haloscope::compute::distributed
