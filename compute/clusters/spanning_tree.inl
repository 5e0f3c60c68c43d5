#pragma once

#include "compute/clusters/core_distances.inl"
#include "compute/clusters/foreign_neighbors.inl"
#include "compute/clusters/graph_forest.inl"
#include "compute/clusters/join_components.inl"
#include "compute/clusters/nearest_lists.inl"
#include "compute/clusters/spanning_tree.h"
#include "compute/clusters/tree_edges.inl"
#include "compute/exec/phases.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/dendrogram.inl"
#include "core/check.h"
#include "core/host_device.h"
#include "core/progress.h"

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <utility>

// The minimum spanning tree of points, for either executor.
//
// In each round every component takes the edge of least weight that leaves it. A point knows its
// nearest foreign point, of another component, as its candidate, or a bound below which there is
// none. Both hold until the candidate joins the component, because what is foreign only becomes
// less; then its weight is the bound. A component whose candidates lie below all bounds of its
// points has its edge. The points of other components whose bounds are no larger than its best
// candidate search in the tree, where blocks that hold one component are left out by their color.
namespace haloscope::compute::clusters {

// What SpanningTree says, where the executor reads it.
template <class Exec>
struct SpanningTreeOn {
  std::uint32_t points = 0;
  Buffer<std::uint32_t, Exec> a, b;
  Buffer<std::uint64_t, Exec> squared_weight, squared_core;
};

// A tree, and the same for a dendrogram.
template <class Exec>
struct MadeTree {
  SpanningTreeOn<Exec> tree;
  hierarchy::ForestOn<Exec> forest;
};

template <int D, class Exec>
class SpanningTreeMaker {
 public:
  SpanningTreeMaker(Exec& exec, const SpanningTreeSettings& settings, Progress& progress,
                    Phases<Exec>& phases, SpanningTreeWork* work)
      : exec_(exec), settings_(settings), progress_(progress), phases_(phases), work_(work) {}

  // Calls placed() where the columns are not read any more.
  template <class Placed>
  MadeTree<Exec> make(const spatial::Columns<D>& columns, std::uint32_t count,
                      const Placed& placed) {
    place(columns, count);
    placed();
    MadeTree<Exec> made;
    made.tree.points = made.forest.points = count;
    if (count >= 2) {
      find_neighbors();
      connect();
      phases_.begin("order");
      write(made);
    }
    return made;
  }

  // The steps, for those who work with what lies between. The tree of boxes:
  void place(const spatial::Columns<D>& columns, std::uint32_t count) {
    phases_.begin("tree");
    count_ = count;
    tree_ = spatial::build_block_tree<D>(exec_, columns, count);
  }
  // Lists of neighbors and core distances, of two points or more; kFarAway: there are too few.
  void find_neighbors() {
    phases_.begin("neighbors");
    progress_.report("nearest neighbors", 0);
    const int core = settings_.min_samples - 1;  // of other points
    const int graph = settings_.graph_neighbors;
    const int wanted = graph > 0 ? std::max(graph, core)
                                 : std::max(kFewestNeighbors, core > 0 ? core + kMoreThanCore : 0);
    k_ = int(std::min<std::uint32_t>(count_ - 1, std::uint32_t(wanted)));
    neighbors_ = Buffer<std::uint32_t, Exec>(exec_, std::size_t(k_) * count_, "neighbors");
    const NeighborLists lists{k_, neighbors_.data()};
    if (graph == 0) {
      list_nearest(exec_, tree_.view(), lists);
    } else if constexpr (kHasGraph) {
      parallel_for(
          exec_, "nearest neighbors", count_,
          ListNearestByRow<D, SpanningTreeSettings::kMostGraphNeighbors>{tree_.view(), lists});
    }
    if (core == 0) return;
    core_ = Buffer<std::uint64_t, Exec>(exec_, count_, "core distances");
    if (core > k_) return thrust::fill_n(exec_.policy(), core_.data(), count_, kFarAway), void();
    parallel_for(exec_, "core distances", count_,
                 CoreFromLists<D>{tree_.view(), neighbors_.data(), k_, core, core_.data()});
  }
  // The edges, of two points or more. `way`: no edge of each point to points that are not here is
  // shorter than this, or null: there are no such points. Then first those are found that are in
  // the tree of all whatever lies there, each the first that leaves what is on one side of it;
  // `fragment`, which `way` needs, becomes the numbers of what they join. Returns how many edges
  // these are.
  std::uint32_t connect(const std::uint64_t* way = nullptr,
                        Buffer<std::uint32_t, Exec>* fragment = nullptr) {
    HALOSCOPE_CHECK((way == nullptr), ==, (fragment == nullptr));
    phases_.begin("rounds");
    room(1, flag_);
    room(count_, color_, candidate_, list_);
    room(count_, bound_, edges_);
    std::uint32_t found = 0;
    if (settings_.graph_neighbors == 0)
      found = join_points(way);
    else if constexpr (kHasGraph)
      found = join_listed();

    // What is left of components is a third of the points or less, mostly. Some of what they need
    // has no memory of its own. The points that search, then `ends`, then the new sizes and ways
    // lie behind the edges that were found. `up` and `joining` lie where the weights were.
    Buffer<std::uint32_t, Exec> from, size;
    Buffer<std::uint64_t, Exec> weight, ways;
    room(count_ - found, from, size);
    room(count_ - found, weight);
    room(tree_.levels.blocks[0], list_);
    exec_.zero(size.data(), size.size() * sizeof(std::uint32_t));
    parallel_for(exec_, "components", count_, CountPoints{color_.data(), size.data()});
    if (way) {
      room(count_ - found, ways);
      thrust::fill_n(exec_.policy(), ways.data(), ways.size(), kFarAway);
      parallel_for(exec_, "ways", count_, LeastWays{color_.data(), way, ways.data()});
    }
    bool all_go = false;
    std::uint32_t sure = found;
    const auto end_fragments = [&] {
      sure = found;
      ways = {};
      room(count_, *fragment);
      thrust::copy_n(exec_.policy(), color_.data(), count_, fragment->data());
    };
    Buffer<std::uint32_t, Exec> block_color, least_row;
    Buffer<std::uint64_t, Exec> block_bound;
    Buffer<std::uint8_t, Exec> needy;
    room(tree_.levels.all(), block_color, least_row);
    room(tree_.levels.all(), block_bound);
    room(tree_.levels.all(), needy);
    exec_.zero(block_bound.data(), block_bound.size() * sizeof(std::uint64_t));
    const BlockTreeView<D> view = tree_.view();
    const thrust::counting_iterator<std::uint32_t> place(0);
    TreeOfColors<D> points = uncolored();
    points.color = color_.data();
    points.block_color = block_color.data();
    points.least_row = least_row.data();
    const BlockLevelsPass pass{tree_.levels};
    parallel_for(exec_, "least rows", tree_.levels.blocks[0], LeastRows<D>{view, least_row.data()});
    pass.up([&](int level, std::uint32_t blocks) {
      parallel_for(exec_, "least rows", blocks,
                   LeastUpperRows{tree_.levels, level, least_row.data()});
    });
    while (found + 1 < count_) {
      const bool within = !ways.empty();
      progress_.report("spanning tree", double(found) / double(count_));
      // Components are called by numbers below `left`.
      const std::uint32_t left = count_ - found;
      std::uint64_t* const ends = edges_.data() + found;  // from TakeLeastEnds on
      const ComponentState components{
          weight.data(), ends, from.data(), size.data(),
          // So few are more than `kLarge` times as large as most are that most go on.
          all_go ? count_
                 : std::uint32_t(
                       std::min<std::uint64_t>(count_, kLarge * std::uint64_t(count_) / left)),
          within ? ways.data() : nullptr};
      Laps laps(*this, left);
      parallel_for(exec_, "colors", tree_.levels.blocks[0],
                   ColorBlocks<D>{view, color_.data(), block_color.data()});
      pass.up([&](int level, std::uint32_t blocks) {
        parallel_for(exec_, "colors", blocks,
                     ColorUpperBlocks{tree_.levels, level, block_color.data()});
      });
      if (within)
        parallel_for(exec_, "ways", left, LimitWeights{components});
      else
        thrust::fill_n(exec_.policy(), weight.data(), left, kFarAway);
      parallel_for(exec_, "candidates", count_,
                   ProposeFromLists<D>{points, {k_, neighbors_.data()}, state(), components});
      laps.end(&SpanningTreeWork::Round::candidates);
      const IsNeedy<D> is_needy{points, state(), components, block_bound.data()};
      parallel_for(exec_, "bounds", tree_.levels.blocks[0],
                   MarkNeedyBlocks<D>{is_needy, needy.data(), block_bound.data()});
      const int highest = std::min(kHighestBound, tree_.levels.count - 1);
      for (int level = 1; level <= highest; ++level)
        parallel_for(exec_, "bounds", tree_.levels.blocks[level],
                     MarkUpperNeedyBlocks{tree_.levels, level, needy.data()});
      for (int level = highest; level >= 0; --level)
        bound_blocks(exec_,
                     BoundBlocks<D>{points, components, level, needy.data(), block_bound.data(),
                                    list_.data()},
                     tree_.levels.blocks[level]);
      // Mostly few blocks are left, so that not all points need to be read for those that are.
      const auto* const end =
          thrust::copy_if(exec_.policy(), place, place + tree_.levels.blocks[0], list_.data(),
                          IsNeedyBlock<D>{is_needy, needy.data()});
      const std::size_t most = std::size_t(end - list_.data()) * kFan;
      // Those of the first rounds, which are the most, lie where the ends will be.
      const bool fits = most <= 2 * std::size_t(left);
      Buffer<std::uint32_t, Exec> own_searching(exec_, fits ? 0 : most, "spanning tree");
      std::uint32_t* const searching =
          fits ? reinterpret_cast<std::uint32_t*>(ends) : own_searching.data();
      const auto of_blocks = thrust::make_transform_iterator(
          thrust::counting_iterator<std::uint64_t>(0), PointsOfBlocks{list_.data()});
      const auto searched = std::size_t(
          thrust::copy_if(exec_.policy(), of_blocks, of_blocks + most, searching, is_needy) -
          searching);
      laps.searched(searched);
      laps.end(&SpanningTreeWork::Round::bounds);
      search_tree(exec_, SearchTree<D>{points, searching, state(), components}, searched);
      laps.end(&SpanningTreeWork::Round::searches);
      thrust::fill_n(exec_.policy(), ends, left, kNoEdge);
      parallel_for(exec_, "edges", count_, TakeLeastEnds<D>{points, state(), components});
      parallel_for(exec_, "edges", count_, TakeFrom<D>{points, state(), components});
      std::uint32_t* const up = reinterpret_cast<std::uint32_t*>(weight.data());
      std::uint32_t* const joining = up + left;
      parallel_for(exec_, "components", left,
                   JoinComponents{color_.data(), candidate_.data(), components, up});
      const auto* const last =
          thrust::copy_if(exec_.policy(), place, place + left, joining, BringsEdge{up});
      const auto joins = std::uint32_t(last - joining);
      if (within && joins == 0) {
        // Those that waited may have such an edge yet.
        if (all_go) end_fragments();
        all_go = !all_go;
        continue;
      }
      HALOSCOPE_CHECK(joins, >, 0u);  // else points differ by more than their lattice allows
      parallel_for(exec_, "edges", joins,
                   WriteEdges{from.data(), joining, candidate_.data(), edges_.data() + found});
      found += joins;
      hierarchy::shorten(exec_, up, 0, left, flag_.data());
      parallel_for(exec_, "components", joins, AddSizes{joining, up, size.data()});
      if (within) parallel_for(exec_, "ways", joins, LowerWays{joining, up, ways.data()});
      // Those that are left get numbers without gaps.
      std::uint32_t* const number = from.data();
      std::uint32_t* const next_size = reinterpret_cast<std::uint32_t*>(edges_.data() + found);
      parallel_for(exec_, "components", left, MarkRoots{up, number});
      thrust::exclusive_scan(exec_.policy(), number, number + left, number);
      parallel_for(exec_, "components", left, MoveSizes{up, number, size.data(), next_size});
      thrust::copy_n(exec_.policy(), next_size, left - joins, size.data());
      if (within) {
        std::uint64_t* const next_ways = edges_.data() + found;
        parallel_for(exec_, "ways", left, MoveWays{up, number, ways.data(), next_ways});
        thrust::copy_n(exec_.policy(), next_ways, left - joins, ways.data());
      }
      parallel_for(exec_, "colors", count_, NumberColors{up, number, color_.data()});
      if (within && joins < left / kFewJoin) end_fragments();
      laps.end(&SpanningTreeWork::Round::joining);
    }
    if (!ways.empty()) end_fragments();
    for (auto* words : {&neighbors_, &color_, &candidate_, &list_}) *words = {};
    bound_ = {};
    return sure;
  }
  // Of the order in which they were found, as ends_key() of places.
  const std::uint64_t* edges() const { return edges_.data(); }
  void forget_edges() { edges_ = {}; }
  const spatial::BlockTree<D, Exec>& tree() const { return tree_; }
  // Squared, by place; empty: the tree is of distances.
  Buffer<std::uint64_t, Exec>& core() { return core_; }
  TreeOfColors<D> uncolored() const {
    return {tree_.view(), core_.empty() ? nullptr : core_.data(), nullptr, nullptr, nullptr};
  }

 private:
  // Longer lists certify more and cost more.
  static constexpr int kFewestNeighbors = 6, kMoreThanCore = 2;
  static constexpr std::uint64_t kLarge = 4;
  // Where fewer than one in so many components still have a sure edge, the rest is left to others:
  // a round takes longer than a few more fragments.
  static constexpr std::uint32_t kFewJoin = 8;
  // As require_tree() has it: what is never asked for would be compiled for minutes.
  static constexpr bool kHasGraph = D == SpanningTreeSettings::kMostGraphDimensions;
  // The level of the largest blocks that are bounded as one, of 512 points.
  static constexpr int kHighestBound = 2;

  template <class... Buffers>
  void room(std::size_t size, Buffers&... buffers) {
    ((buffers = Buffers(exec_, size, "spanning tree")), ...);
  }
  PointState state() { return {candidate_.data(), bound_.data()}; }

  // The first round, in which each point is a component and those whose list does not tell wait.
  // Returns the edges found; components are called by numbers from then on, their points' colors.
  std::uint32_t join_points(const std::uint64_t* way) {
    Laps laps(*this, count_);
    const thrust::counting_iterator<std::uint32_t> place(0);
    parallel_for(exec_, "candidates", count_,
                 ProposeFirst<D>{uncolored(), {k_, neighbors_.data()}, state()});
    laps.end(&SpanningTreeWork::Round::candidates);
    std::uint32_t* const up = color_.data();  // each point's, until it is replaced by its color
    if (way)
      parallel_for(exec_, "components", count_,
                   JoinPointsWithin{candidate_.data(), bound_.data(), way, up});
    else
      parallel_for(exec_, "components", count_, JoinPoints{candidate_.data(), up});
    const auto* const last =
        thrust::copy_if(exec_.policy(), place, place + count_, list_.data(), BringsEdge{up});
    const auto found = std::uint32_t(last - list_.data());
    parallel_for(exec_, "edges", found,
                 WriteFirstEdges{candidate_.data(), list_.data(), edges_.data()});
    hierarchy::shorten(exec_, up, 0, count_, flag_.data());
    parallel_for(exec_, "components", count_, MarkRoots{up, list_.data()});
    thrust::exclusive_scan(exec_.policy(), list_.begin(), list_.end(), list_.begin());
    parallel_for(exec_, "colors", count_, FirstColors{list_.data(), color_.data()});
    laps.end(&SpanningTreeWork::Round::joining);
    return found;
  }

  // The first rounds of cuSLINK, in which components know of the graph of lists alone.
  std::uint32_t join_listed() {
    Laps laps(*this, count_);
    const NeighborLists lists{k_, neighbors_.data()};
    const std::uint32_t found =
        make_graph_forest(exec_, uncolored(), lists, ForestOfPlaces{edges_.data(), color_.data()});
    parallel_for(exec_, "candidates", count_, KnowNothingListed<D>{{uncolored(), lists}, state()});
    laps.end(&SpanningTreeWork::Round::joining);
    if (work_) work_->graph_trees = count_ - found;
    return found;
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

  void write(MadeTree<Exec>& written) {
    SpanningTreeOn<Exec>& made = written.tree;
    hierarchy::ForestOn<Exec>& forest = written.forest;
    const std::uint32_t edges = count_ - 1;
    OrderedEdges<Exec> ordered = order_edges(exec_, uncolored(), edges_.data(), edges);
    made.squared_weight = Buffer<std::uint64_t, Exec>(exec_, edges, "spanning tree");
    made.a = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    made.b = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    forest.rank = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    parallel_for(
        exec_, "order", edges,
        RowsOfEdges{ordered.ends.data(), ordered.weight.data(), ordered.order.data(), made.a.data(),
                    made.b.data(), made.squared_weight.data(), forest.rank.data()});
    ordered.weight = {};
    ordered.ends = {};
    forest.edge = std::move(ordered.order);
    forest.edges = edges;
    forest.a = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    forest.b = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    parallel_for(exec_, "order", edges,
                 PlacesOfEdges{edges_.data(), forest.a.data(), forest.b.data()});
    edges_ = {};
    forest.rows = Buffer<std::uint32_t, Exec>(exec_, count_, "rows");
    parallel_for(exec_, "rows", count_, RowsOfPlaces<D>{tree_.view(), forest.rows.data()});
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
  Buffer<std::uint32_t, Exec> color_, candidate_;  // of points
  Buffer<std::uint32_t, Exec> list_;               // of points at first, then of blocks
  Buffer<std::uint32_t, Exec> flag_;               // one word
  Buffer<std::uint64_t, Exec> bound_;
  // ends_key() places, in the order in which edges were found: n, of which the last is
  // nobody's.
  Buffer<std::uint64_t, Exec> edges_;
};

}  // namespace haloscope::compute::clusters
