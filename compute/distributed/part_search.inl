#pragma once

#include "compute/clusters/colored_tree.inl"
#include "compute/clusters/core_distances.inl"
#include "compute/clusters/foreign_neighbors.inl"
#include "compute/clusters/nearest_lists.inl"
#include "compute/distributed/part_search.h"
#include "compute/exec/slices.inl"
#include "compute/spatial/block_tree.inl"

#include <algorithm>
#include <utility>

// Searches among the points of a rank, for either executor.
namespace haloscope::compute::distributed {

using clusters::kFarAway;
using clusters::TreeOfColors;
using hierarchy::ends_key;
using spatial::BlockTreeView;
using spatial::kFan;
using spatial::LatticeBox;
using spatial::LatticePoint;

// Places of a tree by the numbers of the points, which are the rows of the tree.
template <int D>
struct PlacesByNumber {
  BlockTreeView<D> tree;
  std::uint32_t* place;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    place[tree.points[i].row] = std::uint32_t(i);
  }
};

struct ColorPlaces {
  const std::uint32_t *place, *by_number;
  std::uint32_t* color;
  HALOSCOPE_HD void operator()(std::size_t n) const { color[place[n]] = by_number[n]; }
};

template <int D>
struct NearestHere {
  BlockTreeView<D> tree;
  const std::uint32_t *place, *points;
  int most;
  std::uint64_t* squared;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto list = clusters::nearest_pairs<clusters::SpanningTreeSettings::kMostSamples>(
        tree, place[points[k]], most);
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
  std::uint64_t* squared;  // by number

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
      for (auto i = std::uint32_t(begin); i < end; ++i) squared[tree.points[i].row] = least;
    } else if constexpr (Level > 0) {
      for (std::uint32_t k = 0; k < kFan; ++k)
        if (block * kFan + k < tree.levels.blocks[0]) measure<0>(block * kFan + k, nearest);
    } else {
      for (auto i = std::uint32_t(begin); i < end; ++i)
        squared[tree.points[i].row] = nearest.squared_to(tree.points[i]);
    }
  }
};

template <int D>
struct ReachOutline {
  BlockTreeView<D> tree;
  OutlineView<D> other;
  const std::uint32_t *place, *points;
  const std::uint64_t* limits;
  const std::uint32_t* color;  // by place; null: not known
  std::uint8_t* reached;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t i = place[points[k]];
    const LatticePoint<D> point = tree.points[i];
    const std::uint64_t limit = limits[k];
    reached[k] = 0;
    if (other.tree.levels.count == 0) return;
    const std::uint32_t own = color ? color[i] : hierarchy::kNone;
    const bool nothing = walk_block(
        other.tree, other.tree.levels.count - 1, 0,
        [&](std::uint32_t box) {
          if (other.block_color && own != hierarchy::kNone && other.block_color[box] == own)
            return false;
          return squared_between(point, other.tree.boxes[box]) <= limit;
        },
        [](std::uint32_t) { return false; });
    reached[k] = nothing ? 0 : 1;
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
  const std::uint32_t* row;  // of each number
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
      return best.weight != limit || ends_key(query.row, row[points.least_row[box]]) < best.ends;
    };
    const auto see = [&](std::uint32_t i) {
      if (points.color[i] == query.color) return;
      std::uint64_t weight = squared_between(point, tree.points[i]);
      const std::uint64_t core = points.core_of(i), most = core < query.core ? query.core : core;
      weight = weight < most ? most : weight;
      if (weight > limit) return;
      const std::uint64_t ends = ends_key(query.row, row[tree.points[i].row]);
      if (!best.is_behind(weight, ends)) return;
      best = {weight, ends, tree.points[i].row};
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

template <int D, class Exec>
class PartSearchOn final : public PartSearch {
 public:
  template <class... ExecArguments>
  explicit PartSearchOn(const PartOfPoints& part, ExecArguments&&... exec)
      : exec_(std::forward<ExecArguments>(exec)...), part_(part) {
    std::vector<Buffer<std::uint32_t, Exec>> columns;
    spatial::Columns<D> view{};
    view.shift = part.shift;
    for (std::size_t a = 0; a < part.column.size(); ++a) {
      columns.push_back(upload(exec_, part.column[a], "positions"));
      view.column[a] = columns.back().data();
    }
    tree_ = spatial::build_block_tree<D>(exec_, view, part.count());
    row_ = upload(exec_, part.row, "rows");
    place_ = room<std::uint32_t>(part.count());
    parallel_for(exec_, "places", part.count(), PlacesByNumber<D>{tree_.view(), place_.data()});
    exec_.synchronize();
  }

  std::vector<std::uint64_t> distances_here(int nth) override {
    const std::uint32_t count = part_.count();
    if (count <= std::uint32_t(nth)) return std::vector<std::uint64_t>(count, kFarAway);
    // A little longer than asked for, so that few points must be searched for a second time.
    constexpr int kMore = 2;
    const int k = int(std::min<std::uint32_t>(count - 1, std::uint32_t(nth + kMore)));
    auto neighbors = room<std::uint32_t>(std::size_t(k) * count);
    auto by_place = room<std::uint64_t>(count), by_number = room<std::uint64_t>(count);
    list_nearest(exec_, tree_.view(), clusters::NeighborLists{k, neighbors.data()});
    parallel_for(
        exec_, "core distances", count,
        clusters::CoreFromLists<D>{tree_.view(), neighbors.data(), k, nth, by_place.data()});
    parallel_for(exec_, "core distances", count,
                 clusters::CoreByRow<D>{tree_.view(), by_place.data(), by_number.data()});
    return download(exec_, by_number);
  }

  std::vector<std::uint64_t> nearest_here(const std::vector<std::uint32_t>& points,
                                          int most) override {
    const auto listed = upload(exec_, points, "points near other ranks");
    auto squared = room<std::uint64_t>(points.size() * std::size_t(most));
    parallel_for(exec_, "nearest neighbors", points.size(),
                 NearestHere<D>{tree_.view(), place_.data(), listed.data(), most, squared.data()});
    return download(exec_, squared);
  }

  std::vector<std::uint32_t> outline() const override {
    if (part_.count() == 0) return {};
    const std::size_t begin = outline_begin(), count = outline_blocks();
    std::vector<std::uint32_t> words(1 + count * kBoxWords);
    words[0] = tree_.levels.blocks[outline_level()];
    exec_.download(words.data() + 1, tree_.boxes.data() + begin, count * sizeof(LatticeBox<D>));
    return words;
  }

  void set_outlines(int self, const std::vector<std::vector<std::uint32_t>>& of_ranks) override {
    others_.clear();
    others_.resize(of_ranks.size());
    for (std::size_t r = 0; r < of_ranks.size(); ++r) {
      const std::vector<std::uint32_t>& words = of_ranks[r];
      if (int(r) == self || words.empty()) continue;
      Other& other = others_[r];
      other.levels = levels_above(words[0]);
      other.boxes = Buffer<LatticeBox<D>, Exec>(exec_, other.levels.all(), "boxes of other ranks");
      exec_.upload(other.boxes.data(), words.data() + 1,
                   other.levels.all() * sizeof(LatticeBox<D>));
    }
    exec_.synchronize();
  }

  std::vector<std::uint64_t> distances_to_others() override {
    std::vector<OutlineView<D>> views;
    for (const Other& other : others_) views.push_back(view_of(other));
    const auto on_device = upload(exec_, views, "boxes of other ranks");
    auto squared = room<std::uint64_t>(part_.count());
    if (part_.count() == 0) return {};
    const int highest = DistanceToOthers<D>::highest(tree_.levels);
    parallel_for(
        exec_, "other ranks", tree_.levels.blocks[highest],
        DistanceToOthers<D>{tree_.view(), on_device.data(), int(views.size()), squared.data()});
    return download(exec_, squared);
  }

  std::vector<std::uint8_t> reach(int rank, const std::vector<std::uint32_t>& points,
                                  const std::vector<std::uint64_t>& limits) override {
    const auto listed = upload(exec_, points, "points near other ranks");
    const auto bounds = upload(exec_, limits, "points near other ranks");
    auto reached = room<std::uint8_t>(points.size());
    parallel_for(exec_, "other ranks", points.size(),
                 ReachOutline<D>{tree_.view(), view_of(others_[std::size_t(rank)]), place_.data(),
                                 listed.data(), bounds.data(),
                                 color_.empty() ? nullptr : color_.data(), reached.data()});
    return download(exec_, reached);
  }

  void set_core(const std::vector<std::uint64_t>& core) override {
    core_ = {};
    if (core.empty()) return;
    const auto by_number = upload(exec_, core, "core distances");
    core_ = room<std::uint64_t>(core.size());
    parallel_for(exec_, "core distances", core.size(),
                 clusters::CoreOfRows<D>{tree_.view(), by_number.data(), core_.data()});
    exec_.synchronize();
  }

  void set_colors(const std::vector<std::uint32_t>& colors) override {
    const std::uint32_t count = part_.count();
    if (count == 0) return;
    const spatial::BlockLevels& levels = tree_.levels;
    if (color_.empty()) {
      color_ = room<std::uint32_t>(count);
      block_color_ = room<std::uint32_t>(levels.all());
      least_row_ = room<std::uint32_t>(levels.all());
      parallel_for(exec_, "least rows", levels.blocks[0],
                   clusters::LeastRows<D>{tree_.view(), least_row_.data()});
      for (int level = 1; level < levels.count; ++level)
        parallel_for(exec_, "least rows", levels.blocks[level],
                     clusters::LeastUpperRows{levels, level, least_row_.data()});
    }
    const auto by_number = upload(exec_, colors, "components");
    parallel_for(exec_, "colors", count,
                 ColorPlaces{place_.data(), by_number.data(), color_.data()});
    parallel_for(exec_, "colors", levels.blocks[0],
                 clusters::ColorBlocks<D>{tree_.view(), color_.data(), block_color_.data()});
    for (int level = 1; level < levels.count; ++level)
      parallel_for(exec_, "colors", levels.blocks[level],
                   clusters::ColorUpperBlocks{levels, level, block_color_.data()});
    exec_.synchronize();
  }

  std::vector<std::uint32_t> outline_colors() const override {
    if (part_.count() == 0) return {};
    std::vector<std::uint32_t> colors(outline_blocks());
    exec_.download(colors.data(), block_color_.data() + outline_begin(),
                   colors.size() * sizeof(std::uint32_t));
    return colors;
  }

  void set_outline_colors(const std::vector<std::vector<std::uint32_t>>& of_ranks) override {
    for (std::size_t r = 0; r < of_ranks.size(); ++r)
      if (others_[r].levels.count > 0)
        others_[r].block_color = upload(exec_, of_ranks[r], "components");
    exec_.synchronize();
  }

  std::vector<std::uint64_t> nearest(const std::vector<PlaceQuery>& queries, int most) override {
    const auto asked = upload(exec_, queries, "questions of other ranks");
    auto squared = room<std::uint64_t>(queries.size() * std::size_t(most));
    parallel_for(exec_, "nearest neighbors", queries.size(),
                 NearestOfQuery<D>{tree_.view(), asked.data(), part_.shift, most, squared.data()});
    return download(exec_, squared);
  }

  std::vector<EdgeToPart> first_edges(const std::vector<PlaceQuery>& queries) override {
    const auto asked = upload(exec_, queries, "questions of other ranks");
    auto edges = room<EdgeToPart>(queries.size());
    const TreeOfColors<D> points{tree_.view(), core_.empty() ? nullptr : core_.data(),
                                 color_.data(), block_color_.data(), least_row_.data()};
    parallel_for(exec_, "searches", queries.size(),
                 FirstEdgeOfQuery<D>{points, asked.data(), row_.data(), part_.shift, edges.data()});
    return download(exec_, edges);
  }

  std::uint64_t peak_device_memory() const override {
    if constexpr (Exec::is_cuda)
      return exec_.peak_memory();
    else
      return 0;
  }

 private:
  // Finer boxes send fewer questions to other ranks, and more memory.
  static constexpr std::uint32_t kMostOutlineBlocks = 32768;
  static constexpr std::size_t kBoxWords = sizeof(LatticeBox<D>) / sizeof(std::uint32_t);

  struct Other {
    spatial::BlockLevels levels;
    Buffer<LatticeBox<D>, Exec> boxes;
    Buffer<std::uint32_t, Exec> block_color;
  };

  template <class T>
  Buffer<T, Exec> room(std::size_t size) {
    return Buffer<T, Exec>(exec_, size, "search of other ranks");
  }

  int outline_level() const {
    int level = 0;
    while (tree_.levels.blocks[level] > kMostOutlineBlocks) ++level;
    return level;
  }
  std::size_t outline_begin() const { return tree_.levels.begin[outline_level()]; }
  std::size_t outline_blocks() const { return tree_.levels.all() - outline_begin(); }

  static spatial::BlockLevels levels_above(std::uint32_t blocks) {
    spatial::BlockLevels levels;
    std::uint32_t begin = 0;
    for (;; blocks = (blocks + kFan - 1) / kFan) {
      levels.begin[levels.count] = begin;
      levels.blocks[levels.count] = blocks;
      ++levels.count;
      begin += blocks;
      if (blocks == 1) return levels;
    }
  }

  OutlineView<D> view_of(const Other& other) const {
    return {{nullptr, other.boxes.data(), 0, other.levels},
            other.block_color.empty() ? nullptr : other.block_color.data()};
  }

  mutable Exec exec_;
  const PartOfPoints& part_;
  spatial::BlockTree<D, Exec> tree_;  // its rows are the points' numbers
  Buffer<std::uint32_t, Exec> row_, place_;
  Buffer<std::uint64_t, Exec> core_;                             // by place
  Buffer<std::uint32_t, Exec> color_, block_color_, least_row_;  // by place, and by block
  std::vector<Other> others_;
};

// Columns that are not there are zeros, as in clusters::ClusterTree.
template <class Exec, class... ExecArguments>
std::unique_ptr<PartSearch> made_part_search(const PartOfPoints& part, ExecArguments&&... exec) {
  const std::size_t dimensions = part.column.size();
  if (dimensions <= 3)
    return std::make_unique<PartSearchOn<3, Exec>>(part, std::forward<ExecArguments>(exec)...);
  if (dimensions <= 6)
    return std::make_unique<PartSearchOn<6, Exec>>(part, std::forward<ExecArguments>(exec)...);
  return std::make_unique<PartSearchOn<8, Exec>>(part, std::forward<ExecArguments>(exec)...);
}

template <int D, class Exec>
std::vector<std::uint32_t> curve_order(Exec& exec, const clusters::LatticePoints& points) {
  if (points.count == 0) return {};
  spatial::Columns<D> columns{};
  columns.shift = points.shift;
  std::vector<Buffer<std::uint32_t, Exec>> on_device;
  for (std::size_t a = 0; a < points.column.size(); ++a) {
    on_device.emplace_back(exec, std::size_t(points.count), "positions");
    exec.upload(on_device.back().data(), points.column[a],
                on_device.back().size() * sizeof(std::uint32_t));
    columns.column[a] = on_device.back().data();
  }
  return download(exec, spatial::order_points(exec, columns, std::uint32_t(points.count)));
}

}  // namespace haloscope::compute::distributed
