#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/select.inl"
#include "compute/exec/slices.inl"
#include "compute/exec/sort.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/dendrogram.h"
#include "core/error.h"
#include "core/host_device.h"

#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

// The dendrogram of a forest, for either executor.
//
// In each of Borůvka's rounds every component takes the lightest edge that leaves it, and what is
// joined is one component of the next round. The components of all rounds are nodes: points first,
// then those of the second round, and so on, 2n at most. Let e be an edge that was taken in round
// r, and x the component of round r + 1 around it. Where the edge that x takes is heavier than e, e
// is merged before anything leaves x. Else it is merged after, and the same is asked of the
// component around x. So each edge ends at one node, its chain: edges of one chain merge one after
// another by rank, and the last of them is merged by the edge that the node takes.
namespace haloscope::compute::hierarchy {

template <class Exec>
struct DendrogramOn {
  Buffer<std::uint32_t, Exec> point_parent, edge_parent, size, order, between;
};

// Ranks of edges. Edges lie in the order in which they were found: neighbors in space are neighbors
// in memory then, and are read faster than by rank, which is by length.
struct RanksView {
  const std::uint32_t* rank;  // of each edge; null: edges lie by rank
  const std::uint32_t* edge;  // of each rank; null: edges lie by rank
  HALOSCOPE_HD std::uint32_t rank_of(std::uint32_t e) const { return rank ? rank[e] : e; }
  HALOSCOPE_HD std::uint32_t edge_of(std::uint32_t r) const { return edge ? edge[r] : r; }
};

// Nodes of all rounds.
struct NodeView {
  std::uint32_t* lightest;  // the rank of the edge that it takes; kNone: none leaves it
  std::uint32_t* up;        // the node of the next round that holds it
};

struct TakeLightest {
  RanksView ranks;
  const std::uint32_t *a, *b;  // nodes of this round
  const std::uint32_t* left;   // edges that were not taken yet
  std::uint32_t* lightest;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t edge = left[k], rank = ranks.rank_of(edge);
    atomic_minimum(lightest + a[edge], rank);
    atomic_minimum(lightest + b[edge], rank);
  }
};

// Where each component of a round goes: along its edge, and of two that take one edge the first
// stays.
struct Hook {
  RanksView ranks;
  NodeView nodes;
  const std::uint32_t *a, *b;
  std::uint32_t first;  // node of the round
  HALOSCOPE_HD void operator()(std::size_t c) const {
    const std::uint32_t node = first + std::uint32_t(c), rank = nodes.lightest[node];
    std::uint32_t to = node;
    if (rank != kNone) {
      const std::uint32_t edge = ranks.edge_of(rank);
      const std::uint32_t other = a[edge] == node ? b[edge] : a[edge];
      if (nodes.lightest[other] != rank || other < node) to = other;
    }
    nodes.up[node] = to;
  }
};

// Behind the components' marks comes a zero: where the sum of the marks will stand.
struct MarkRoots {
  NodeView nodes;
  std::uint32_t first, count;
  std::uint32_t* number;  // 1: a component of the next round
  HALOSCOPE_HD void operator()(std::size_t c) const {
    const std::uint32_t node = first + std::uint32_t(c);
    number[c] = c < count && nodes.lightest[node] != kNone && nodes.up[node] == node;
  }
};

// Numbers are those of roots; another array, for up[] of roots is read by others meanwhile.
struct NameParents {
  NodeView nodes;
  std::uint32_t first, next;    // nodes of this round and of the next one
  const std::uint32_t* number;  // of each root among the roots
  std::uint32_t* parent;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    const std::uint32_t node = first + std::uint32_t(c);
    parent[c] = nodes.lightest[node] == kNone ? kNone : next + number[nodes.up[node] - first];
  }
};

struct WasLeft {
  RanksView ranks;
  NodeView nodes;
  const std::uint32_t *a, *b;
  HALOSCOPE_HD bool operator()(std::uint32_t edge) const {
    const std::uint32_t rank = ranks.rank_of(edge);
    return nodes.lightest[a[edge]] != rank && nodes.lightest[b[edge]] != rank;
  }
};

// Edges that are left join components of the next round.
struct Contract {
  const std::uint32_t *left, *up;
  std::uint32_t *a, *b;
  std::uint32_t* cycle;  // 1: an edge joins a component with itself
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t edge = left[k];
    a[edge] = up[a[edge]];
    b[edge] = up[b[edge]];
    if (a[edge] == b[edge]) atomic_store(cycle, 1);
  }
};

struct FindChain {
  RanksView ranks;
  NodeView nodes;
  const std::uint32_t* a;  // a node of the round in which the edge was taken
  std::uint32_t* chain;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto edge = std::uint32_t(k);
    const std::uint32_t rank = ranks.rank_of(edge);
    std::uint32_t node = nodes.up[a[edge]];
    while (nodes.lightest[node] < rank) node = nodes.up[node];
    chain[edge] = node;
  }
};

struct ChainsByRank {
  RanksView ranks;
  const std::uint32_t* chain;  // of each edge
  std::uint32_t *by_rank, *edge;
  HALOSCOPE_HD void operator()(std::size_t rank) const {
    edge[rank] = ranks.edge_of(std::uint32_t(rank));
    by_rank[rank] = chain[edge[rank]];
  }
};

// Edges by chain and rank.
struct ChainView {
  const std::uint32_t* node;  // of each place
  const std::uint32_t* edge;
  std::uint32_t count;
  HALOSCOPE_HD bool begins(std::uint32_t k) const { return k == 0 || node[k] != node[k - 1]; }
  HALOSCOPE_HD bool ends(std::uint32_t k) const { return k + 1 == count || node[k] != node[k + 1]; }
};

struct WriteEdgeClusters {
  RanksView ranks;
  ChainView chains;
  const std::uint32_t *lightest, *sums;
  std::uint32_t *edge_parent, *size;
  HALOSCOPE_HD void operator()(std::size_t place) const {
    const auto k = std::uint32_t(place);
    const std::uint32_t rank = ranks.rank_of(chains.edge[k]);
    edge_parent[rank] =
        chains.ends(k) ? lightest[chains.node[k]] : ranks.rank_of(chains.edge[k + 1]);
    size[rank] = sums[k];
  }
};

// The points that an edge adds to its chain: those of the nodes that take it.
struct AddedPoints {
  RanksView ranks;
  ChainView chains;
  const std::uint32_t *a, *b, *lightest, *node_size;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t k) const {
    const std::uint32_t edge = chains.edge[k], rank = ranks.rank_of(edge);
    return (lightest[a[edge]] == rank ? node_size[a[edge]] : 0) +
           (lightest[b[edge]] == rank ? node_size[b[edge]] : 0);
  }
};

struct KeepSizes {
  ChainView chains;
  const std::uint32_t* sums;  // of each place
  std::uint32_t* node_size;
  std::uint32_t first;  // place
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t k = first + std::uint32_t(i);
    if (chains.ends(k)) node_size[chains.node[k]] = sums[k];
  }
};

// Where the points of each tree begin in the order.
struct SizeOfTree {
  const std::uint32_t *lightest, *node_size;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t node) const {
    return lightest[node] == kNone ? node_size[node] : 0;
  }
};

// Where the points of the nodes that take a chain's edges begin.
struct PlaceNodes {
  RanksView ranks;
  ChainView chains;
  const std::uint32_t *a, *b, *lightest, *node_size, *sums;
  std::uint32_t *start, *between;
  std::uint32_t first;  // place
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t k = first + std::uint32_t(i), edge = chains.edge[k];
    const std::uint32_t rank = ranks.rank_of(edge);
    std::uint32_t at = start[chains.node[k]];
    if (!chains.begins(k)) {
      at += sums[k - 1];
      between[at - 1] = rank;
    }
    const std::uint32_t ends[2] = {a[edge], b[edge]};
    bool one = false;
    for (const std::uint32_t node : ends) {
      if (lightest[node] != rank) continue;
      if (one) between[at - 1] = rank;
      start[node] = at;
      at += node_size[node];
      one = true;
    }
  }
};

struct OrderPoints {
  const std::uint32_t *rows, *start, *lightest;
  std::uint32_t *order, *point_parent;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t row = rows ? rows[i] : std::uint32_t(i);
    order[start[i]] = row;
    point_parent[row] = lightest[i];
  }
};

// A forest on an executor.
template <class Exec>
struct ForestOn {
  std::uint32_t points = 0, edges = 0;
  Buffer<std::uint32_t, Exec> a, b;        // of each edge the places of two points
  Buffer<std::uint32_t, Exec> rank, edge;  // of each edge, and of each rank; empty: a, b by rank
  Buffer<std::uint32_t, Exec> rows;        // of each place; empty: the place itself
};

template <class Exec>
class DendrogramMaker {
 public:
  DendrogramMaker(Exec& exec, ForestOn<Exec> forest)
      : exec_(exec),
        forest_(std::move(forest)),
        points_(forest_.points),
        edges_(forest_.edges),
        lightest_(exec, 2 * std::size_t(points_), "components"),
        up_(exec, 2 * std::size_t(points_), "components") {}

  DendrogramOn<Exec> make() {
    contract();
    find_chains();
    up_ = {};
    give_back_room();
    sort_chains();
    add_sizes();
    place();
    write_edges();
    write_points();
    return std::move(made_);
  }

 protected:
  NodeView nodes() { return {lightest_.data(), up_.data()}; }
  RanksView ranks() const {
    return {forest_.rank.empty() ? nullptr : forest_.rank.data(),
            forest_.edge.empty() ? nullptr : forest_.edge.data()};
  }
  ChainView chains() { return {chain_.data(), by_chain_.data(), edges_}; }

  // What the host reads in each round.
  enum Word { kUnfinished, kRoots, kLeft, kCycle, kWords };

  void contract() {
    Buffer<std::uint32_t, Exec> left(exec_, edges_, "edges"), next_left(exec_, edges_, "edges");
    thrust::sequence(exec_.policy(), left.begin(), left.end());
    Buffer<std::uint32_t, Exec> number(exec_, std::size_t(points_) + 1, "components"),
        parent(exec_, points_, "components"), words(exec_, kWords, "components");
    std::uint32_t* const word_at = words.data();
    std::uint32_t word[kWords];
    exec_.zero(word_at, sizeof(word));
    std::uint32_t first = 0, count = points_, left_count = edges_;
    while (count > 0) {
      begin_.push_back(first);
      thrust::fill_n(exec_.policy(), lightest_.data() + first, count, kNone);
      parallel_for(
          exec_, "lightest edges", left_count,
          TakeLightest{ranks(), forest_.a.data(), forest_.b.data(), left.data(), lightest_.data()});
      parallel_for(exec_, "components", count,
                   Hook{ranks(), nodes(), forest_.a.data(), forest_.b.data(), first});
      // Ways are seldom longer than one pass: it is not waited for, as roots and edges that are
      // left do not depend on it.
      shorten_once(exec_, up_.data(), first, count, word_at + kUnfinished);
      parallel_for(exec_, "components", std::size_t(count) + 1,
                   MarkRoots{nodes(), first, count, number.data()});
      thrust::exclusive_scan(exec_.policy(), number.data(), number.data() + count + 1,
                             number.data());
      thrust::copy_n(exec_.policy(), number.data() + count, 1, word_at + kRoots);
      select_if(exec_, "edges that are left", left.data(), left_count, next_left.data(),
                word_at + kLeft, WasLeft{ranks(), nodes(), forest_.a.data(), forest_.b.data()});
      exec_.download(word, word_at, sizeof(word));
      // Set in the round before. An edge that closes a cycle stays in the list, so that another
      // round always follows.
      if (word[kCycle])
        throw Error("its edges close a cycle", "dendrogram", "give the edges of a tree or forest");
      if (word[kUnfinished]) shorten(exec_, up_.data(), first, count, word_at + kUnfinished);
      const std::uint32_t next = first + count;
      parallel_for(exec_, "components", count,
                   NameParents{nodes(), first, next, number.data(), parent.data()});
      thrust::copy_n(exec_.policy(), parent.data(), count, up_.data() + first);
      std::swap(left, next_left);
      left_count = word[kLeft];
      parallel_for(
          exec_, "edges that are left", left_count,
          Contract{left.data(), up_.data(), forest_.a.data(), forest_.b.data(), word_at + kCycle});
      first = next;
      count = word[kRoots];
    }
    begin_.push_back(first);
  }

  void find_chains() {
    chain_ = Buffer<std::uint32_t, Exec>(exec_, edges_, "chains");
    by_chain_ = Buffer<std::uint32_t, Exec>(exec_, edges_, "chains");
    parallel_for(exec_, "chains", edges_,
                 FindChain{ranks(), nodes(), forest_.a.data(), chain_.data()});
  }

  // Nodes are some 1.4 n, and there was room for 2 n.
  void give_back_room() {
    Buffer<std::uint32_t, Exec> lightest(exec_, begin_.back(), "components");
    thrust::copy_n(exec_.policy(), lightest_.data(), begin_.back(), lightest.data());
    lightest_ = std::move(lightest);
  }

  void sort_chains() {
    {
      Buffer<std::uint32_t, Exec> by_rank(exec_, edges_, "chains");
      parallel_for(exec_, "chains", edges_,
                   ChainsByRank{ranks(), chain_.data(), by_rank.data(), by_chain_.data()});
      chain_ = std::move(by_rank);
      if (edges_ > 0) sort_pairs(exec_, chain_, by_chain_, int(std::bit_width(begin_.back())));
    }
    forest_.edge = {};
    // Chains of a round lie side by side, and what they add is of rounds before.
    for (const std::uint32_t node : begin_) {
      const auto* const found =
          thrust::lower_bound(exec_.policy(), chain_.data(), chain_.data() + edges_, node);
      places_.push_back(std::uint32_t(found - chain_.data()));
    }
  }

  void add_sizes() {
    sums_ = Buffer<std::uint32_t, Exec>(exec_, edges_, "sizes");
    node_size_ = Buffer<std::uint32_t, Exec>(exec_, begin_.back(), "sizes");
    thrust::fill_n(exec_.policy(), node_size_.data(), points_, 1u);
    for (std::size_t round = 1; round + 1 < places_.size(); ++round) {
      const std::uint32_t begin = places_[round], end = places_[round + 1];
      if (begin == end) continue;
      const AddedPoints added{ranks(),          chains(),         forest_.a.data(),
                              forest_.b.data(), lightest_.data(), node_size_.data()};
      thrust::transform(exec_.policy(), thrust::counting_iterator<std::uint32_t>(begin),
                        thrust::counting_iterator<std::uint32_t>(end), sums_.data() + begin, added);
      thrust::inclusive_scan_by_key(exec_.policy(), chain_.data() + begin, chain_.data() + end,
                                    sums_.data() + begin, sums_.data() + begin);
      parallel_for(exec_, "sizes", end - begin,
                   KeepSizes{chains(), sums_.data(), node_size_.data(), begin});
    }
  }

  // Of a RankedForest the most memory is held here, so that what is made of edges waits for it.
  void place() {
    const std::uint32_t all = begin_.back();
    start_ = Buffer<std::uint32_t, Exec>(exec_, all, "order");
    const SizeOfTree size{lightest_.data(), node_size_.data()};
    const thrust::counting_iterator<std::uint32_t> node(0);
    thrust::transform(exec_.policy(), node, node + all, start_.data(), size);
    thrust::exclusive_scan(exec_.policy(), start_.begin(), start_.end(), start_.begin());
    made_.between = Buffer<std::uint32_t, Exec>(exec_, points_ > 0 ? points_ - 1 : 0, "dendrogram");
    thrust::fill(exec_.policy(), made_.between.begin(), made_.between.end(), kNone);
    for (std::size_t round = places_.size() - 1; round-- > 1;) {
      const std::uint32_t begin = places_[round], end = places_[round + 1];
      parallel_for(
          exec_, "order", end - begin,
          PlaceNodes{ranks(), chains(), forest_.a.data(), forest_.b.data(), lightest_.data(),
                     node_size_.data(), sums_.data(), start_.data(), made_.between.data(), begin});
    }
    for (auto* done : {&node_size_, &forest_.a, &forest_.b}) *done = {};
  }

  void write_edges() {
    made_.edge_parent = Buffer<std::uint32_t, Exec>(exec_, edges_, "dendrogram");
    made_.size = Buffer<std::uint32_t, Exec>(exec_, edges_, "dendrogram");
    parallel_for(exec_, "edges", edges_,
                 WriteEdgeClusters{ranks(), chains(), lightest_.data(), sums_.data(),
                                   made_.edge_parent.data(), made_.size.data()});
    for (auto* done : {&chain_, &by_chain_, &sums_, &forest_.rank}) *done = {};
  }

  void write_points() {
    made_.order = Buffer<std::uint32_t, Exec>(exec_, points_, "dendrogram");
    made_.point_parent = Buffer<std::uint32_t, Exec>(exec_, points_, "dendrogram");
    parallel_for(exec_, "order", points_,
                 OrderPoints{forest_.rows.empty() ? nullptr : forest_.rows.data(), start_.data(),
                             lightest_.data(), made_.order.data(), made_.point_parent.data()});
  }

  Exec& exec_;
  ForestOn<Exec> forest_;  // a, b: of each edge the nodes that it joined when it was taken
  std::uint32_t points_, edges_;
  Buffer<std::uint32_t, Exec> lightest_, up_;  // of nodes
  std::vector<std::uint32_t> begin_;           // nodes of each round, and the end
  Buffer<std::uint32_t, Exec> chain_;          // node of each place, ascending
  Buffer<std::uint32_t, Exec> by_chain_;       // edge of each place
  std::vector<std::uint32_t> places_;          // of the chains of each round, and the end
  Buffer<std::uint32_t, Exec> sums_, node_size_;
  Buffer<std::uint32_t, Exec> start_;  // place in the order, of each node
  DendrogramOn<Exec> made_;
};

template <class Exec>
Dendrogram download(Exec& exec, const DendrogramOn<Exec>& made) {
  return {download(exec, made.point_parent), download(exec, made.edge_parent),
          download(exec, made.size), download(exec, made.order), download(exec, made.between)};
}

template <class Exec>
Dendrogram dendrogram_on(Exec& exec, const RankedForest& forest) {
  ForestOn<Exec> on;
  on.points = forest.points;
  on.edges = std::uint32_t(forest.a.size());
  on.a = upload(exec, forest.a, "edges");
  on.b = upload(exec, forest.b, "edges");
  return download(exec, DendrogramMaker<Exec>(exec, std::move(on)).make());
}

}  // namespace haloscope::compute::hierarchy
