#pragma once

#include "compute/clusters/core_distances.inl"
#include "compute/clusters/foreign_neighbors.inl"
#include "compute/clusters/graph_forest.inl"
#include "compute/clusters/join_components.inl"
#include "compute/clusters/nearest_lists.inl"
#include "compute/clusters/spanning_tree.h"
#include "compute/exec/phases.h"
#include "compute/exec/sort.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/dendrogram.inl"
#include "core/check.h"
#include "core/host_device.h"

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

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

struct GatherWords {
  const std::uint64_t* from;
  const std::uint32_t* order;
  std::uint64_t* to;
  HALOSCOPE_HD void operator()(std::size_t k) const { to[k] = from[order[k]]; }
};

// Weights in 32 bits, in their order: the place of the first bit and the 25 bits behind it. Few
// different ones become equal.
HALOSCOPE_HD inline std::uint32_t short_weight(std::uint64_t weight) {
  constexpr int kBits = 25;
  if (weight == 0) return 0;
#if defined(__CUDA_ARCH__)
  const int leading = __clzll(static_cast<long long>(weight));
#else
  const int leading = __builtin_clzll(weight);
#endif
  const auto behind = std::uint32_t((weight << leading) >> (63 - kBits)) & ((1u << kBits) - 1);
  return std::uint32_t(64 - leading) << kBits | behind;
}

template <int D>
struct MeasureEdges {
  TreeOfColors<D> points;
  const std::uint64_t* edge;  // ends_key()
  std::uint64_t *weight, *ends;
  std::uint32_t* short_key;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t from = lower_end(edge[k]), to = upper_end(edge[k]);
    weight[k] = points.weight(from, to);
    ends[k] = points.ends(from, to);
    short_key[k] = short_weight(weight[k]);
  }
};

// Orders edges of one short weight, which lie side by side, by their weights and ends.
struct OrderRuns {
  static constexpr std::uint32_t kMost = 32;
  const std::uint64_t *weight_of, *ends_of;  // of each edge
  const std::uint32_t* short_key;            // in order
  std::uint32_t* order;
  std::uint32_t count;
  std::uint32_t* is_long;  // 1: more than kMost have one short weight
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto first = std::uint32_t(k);
    const std::uint32_t key = short_key[first];
    if (first > 0 && short_key[first - 1] == key) return;
    std::uint32_t end = first + 1;
    for (; end < count && short_key[end] == key; ++end) {
      if (end - first == kMost) return atomic_store(is_long, 1);
      const std::uint32_t edge = order[end];
      std::uint32_t at = end;
      for (; at > first && is_before(edge, order[at - 1]); --at) order[at] = order[at - 1];
      order[at] = edge;
    }
  }
  HALOSCOPE_HD bool is_before(std::uint32_t a, std::uint32_t b) const {
    return weight_of[a] != weight_of[b] ? weight_of[a] < weight_of[b] : ends_of[a] < ends_of[b];
  }
};

// Of each rank, and the rank of each edge.
struct RowsOfEdges {
  const std::uint64_t *ends, *weight;  // of each edge
  const std::uint32_t* order;          // of each rank
  std::uint32_t *a, *b;
  std::uint64_t* weight_to;
  std::uint32_t* rank;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t edge = order[k];
    const std::uint64_t both = ends[edge];
    a[k] = std::uint32_t(both >> 32);
    b[k] = std::uint32_t(both);
    weight_to[k] = weight[edge];
    rank[edge] = std::uint32_t(k);
  }
};

template <int D>
struct RowsOfPlaces {
  BlockTreeView<D> tree;
  std::uint32_t* rows;
  HALOSCOPE_HD void operator()(std::size_t i) const { rows[i] = tree.points[i].row; }
};

struct PlacesOfEdges {
  const std::uint64_t* edge;  // ends_key()
  std::uint32_t *a, *b;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    a[k] = lower_end(edge[k]);
    b[k] = upper_end(edge[k]);
  }
};

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

  // Squared core distances by row, which are not looked for then.
  void set_core(const std::uint64_t* by_row) { given_core_ = by_row; }

  // Calls placed() where the columns are not read any more.
  template <class Placed>
  MadeTree<Exec> make(const spatial::Columns<D>& columns, std::uint32_t count,
                      const Placed& placed) {
    count_ = count;
    phases_.begin("tree");
    tree_ = spatial::build_block_tree<D>(exec_, columns, count);
    placed();
    MadeTree<Exec> made;
    made.tree.points = made.forest.points = count;
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
  static constexpr int kFewestNeighbors = 6, kMoreThanCore = 2;
  static constexpr std::uint64_t kLarge = 4;
  // As require_tree() has it: what is never asked for would be compiled for minutes.
  static constexpr bool kHasGraph = D == SpanningTreeSettings::kMostGraphDimensions;
  // The level of the largest blocks that are bounded as one, of 512 points.
  static constexpr int kHighestBound = 2;

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
    if (core == 0 && !given_core_) return;
    core_ = Buffer<std::uint64_t, Exec>(exec_, count_, "core distances");
    if (given_core_) {
      parallel_for(exec_, "core distances", count_,
                   CoreOfRows<D>{tree_.view(), given_core_, core_.data()});
      return;
    }
    parallel_for(exec_, "core distances", count_,
                 CoreFromLists<D>{tree_.view(), neighbors_.data(), k_, core, core_.data()});
  }

  template <class... Buffers>
  void room(std::size_t size, Buffers&... buffers) {
    ((buffers = Buffers(exec_, size, "spanning tree")), ...);
  }
  PointState state() { return {candidate_.data(), bound_.data()}; }
  TreeOfColors<D> uncolored() const {
    return {tree_.view(), core_.empty() ? nullptr : core_.data(), nullptr, nullptr, nullptr};
  }

  // The first round, in which each point is a component and those whose list does not tell wait.
  // Returns the edges found; components are called by numbers from then on, their points' colors.
  std::uint32_t join_points() {
    Laps laps(*this, count_);
    const thrust::counting_iterator<std::uint32_t> place(0);
    parallel_for(exec_, "candidates", count_,
                 ProposeFirst<D>{uncolored(), {k_, neighbors_.data()}, state()});
    laps.end(&SpanningTreeWork::Round::candidates);
    std::uint32_t* const up = color_.data();  // each point's, until it is replaced by its color
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

  void connect() {
    room(1, flag_);
    room(count_, color_, candidate_, list_);
    room(count_, bound_, edges_);
    std::uint32_t found = 0;
    if (settings_.graph_neighbors == 0)
      found = join_points();
    else if constexpr (kHasGraph)
      found = join_listed();

    // What is left of components is a third of the points or less, mostly. Some of what they need
    // has no memory of its own. The points that search, then `ends`, then the new sizes lie behind
    // the edges that were found. `up` and `joining` lie where the weights were.
    Buffer<std::uint32_t, Exec> from, size;
    Buffer<std::uint64_t, Exec> weight;
    room(count_ - found, from, size);
    room(count_ - found, weight);
    room(tree_.levels.blocks[0], list_);
    exec_.zero(size.data(), size.size() * sizeof(std::uint32_t));
    parallel_for(exec_, "components", count_, CountPoints{color_.data(), size.data()});
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
      progress_.report("spanning tree", double(found) / double(count_));
      // Components are called by numbers below `left`.
      const std::uint32_t left = count_ - found;
      std::uint64_t* const ends = edges_.data() + found;  // from TakeLeastEnds on
      const ComponentState components{
          weight.data(), ends, from.data(), size.data(),
          // So few are more than `kLarge` times as large as most are that most go on.
          std::uint32_t(std::min<std::uint64_t>(count_, kLarge * std::uint64_t(count_) / left))};
      Laps laps(*this, left);
      parallel_for(exec_, "colors", tree_.levels.blocks[0],
                   ColorBlocks<D>{view, color_.data(), block_color.data()});
      pass.up([&](int level, std::uint32_t blocks) {
        parallel_for(exec_, "colors", blocks,
                     ColorUpperBlocks{tree_.levels, level, block_color.data()});
      });
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
      HALOSCOPE_CHECK(joins, >, 0u);  // else points differ by more than their lattice allows
      parallel_for(exec_, "edges", joins,
                   WriteEdges{from.data(), joining, candidate_.data(), edges_.data() + found});
      found += joins;
      hierarchy::shorten(exec_, up, 0, left, flag_.data());
      parallel_for(exec_, "components", joins, AddSizes{joining, up, size.data()});
      // Those that are left get numbers without gaps.
      std::uint32_t* const number = from.data();
      std::uint32_t* const next_size = reinterpret_cast<std::uint32_t*>(edges_.data() + found);
      parallel_for(exec_, "components", left, MarkRoots{up, number});
      thrust::exclusive_scan(exec_.policy(), number, number + left, number);
      parallel_for(exec_, "components", left, MoveSizes{up, number, size.data(), next_size});
      thrust::copy_n(exec_.policy(), next_size, left - joins, size.data());
      parallel_for(exec_, "colors", count_, NumberColors{up, number, color_.data()});
      laps.end(&SpanningTreeWork::Round::joining);
    }
    for (auto* words : {&neighbors_, &color_, &candidate_, &list_}) *words = {};
    bound_ = {};
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
    Buffer<std::uint32_t, Exec> order(exec_, edges, "spanning tree");
    Buffer<std::uint64_t, Exec> weight(exec_, edges, "spanning tree"),
        ends(exec_, edges, "spanning tree");
    {
      Buffer<std::uint32_t, Exec> key(exec_, edges, "spanning tree"),
          is_long(exec_, 1, "spanning tree");
      parallel_for(
          exec_, "order", edges,
          MeasureEdges<D>{uncolored(), edges_.data(), weight.data(), ends.data(), key.data()});
      thrust::sequence(exec_.policy(), order.begin(), order.end());
      sort_pairs(exec_, key, order, 32);
      // Few edges weigh the same, but in grids many do.
      exec_.zero(is_long.data(), sizeof(std::uint32_t));
      parallel_for(
          exec_, "order", edges,
          OrderRuns{weight.data(), ends.data(), key.data(), order.data(), edges, is_long.data()});
      if (hierarchy::is_set(exec_, is_long.data())) {
        key = {};
        sort_by_ends_and_weights(weight, ends, order);
      }
    }
    made.squared_weight = Buffer<std::uint64_t, Exec>(exec_, edges, "spanning tree");
    made.a = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    made.b = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    forest.rank = Buffer<std::uint32_t, Exec>(exec_, edges, "spanning tree");
    parallel_for(exec_, "order", edges,
                 RowsOfEdges{ends.data(), weight.data(), order.data(), made.a.data(), made.b.data(),
                             made.squared_weight.data(), forest.rank.data()});
    weight = {};
    ends = {};
    forest.edge = std::move(order);
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

  // The plain way: by digits of all 64 bits, twice.
  void sort_by_ends_and_weights(const Buffer<std::uint64_t, Exec>& weight,
                                const Buffer<std::uint64_t, Exec>& ends,
                                Buffer<std::uint32_t, Exec>& order) {
    const std::uint32_t edges = count_ - 1;
    Buffer<std::uint64_t, Exec> keys(exec_, edges, "spanning tree");
    thrust::sequence(exec_.policy(), order.begin(), order.end());
    thrust::copy_n(exec_.policy(), ends.data(), edges, keys.data());
    sort_pairs(exec_, keys, order, 64);
    parallel_for(exec_, "order", edges, GatherWords{weight.data(), order.data(), keys.data()});
    sort_pairs(exec_, keys, order, 64);
  }

  Exec& exec_;
  SpanningTreeSettings settings_;
  Progress& progress_;
  Phases<Exec>& phases_;
  SpanningTreeWork* work_;  // null: nobody asks
  std::uint32_t count_ = 0;
  const std::uint64_t* given_core_ = nullptr;
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
