#pragma once

#include "compute/clusters/condensed_tree.h"
#include "compute/clusters/excess_sum.h"
#include "compute/clusters/rank_maxima.inl"
#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/exec/slices.inl"
#include "compute/exec/sort.h"
#include "compute/hierarchy/dendrogram.inl"
#include "core/host_device.h"

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sequence.h>
#include <thrust/transform_scan.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// Condensed trees where the dendrogram is, for either executor, without a walk from edge to edge.
//
// In a dendrogram's order the points of every cluster lie side by side, and between two neighbors
// stands the edge that merges them. The edges whose clusters have enough points, the large ones,
// divide this order into groups of points that fall out together, at the smaller of the two edges
// beside them. Among the large edges alone, an edge is a split where both neighbors have smaller
// ranks, for then both sides have a large edge of their own. What lies between two splits belongs
// to the cluster below the smaller one of the nearest splits with larger ranks: the cluster was
// born there.
namespace haloscope::compute::clusters {

using hierarchy::kNone;

// Heights of edges by rank, as λ.
struct Lambdas {
  const std::uint64_t* squared;  // in lattice steps
  double step;
  HALOSCOPE_HD double operator()(std::uint32_t rank) const {
    const double height = sqrt(double(squared[rank])) * step;
    return height > 0 ? 1 / height : HUGE_VAL;
  }
};

// 1 behind a place whose edge is large: their sum is the number of a place's group.
struct IsLarge {
  const std::uint32_t *between, *size;
  std::uint32_t edges, least;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t place) const {
    if (place == edges) return 0;
    const std::uint32_t rank = between[place];
    return rank + 1 == edges || size[rank] >= least ? 1 : 0;
  }
};

struct KeepLarge {
  const std::uint32_t *between, *group;  // of each place
  std::uint32_t *rank, *begin;           // of each large edge, and of each group
  HALOSCOPE_HD void operator()(std::size_t place) const {
    const std::uint32_t at = group[place];
    if (group[place + 1] == at) return;
    rank[at] = between[place];
    begin[at + 1] = std::uint32_t(place) + 1;
  }
};

// Large edges in the order of their places.
struct LargeEdges {
  const std::uint32_t* rank;
  std::uint32_t count;
  HALOSCOPE_HD bool rises_before(std::uint32_t j) const { return j > 0 && rank[j - 1] < rank[j]; }
  HALOSCOPE_HD bool falls_behind(std::uint32_t j) const {
    return j + 1 < count && rank[j + 1] < rank[j];
  }
  HALOSCOPE_HD bool is_split(std::uint32_t j) const { return rises_before(j) && falls_behind(j); }
  // The smallest of its cluster, which does not split.
  HALOSCOPE_HD bool is_lowest(std::uint32_t j) const {
    return !rises_before(j) && !falls_behind(j);
  }
};

struct CountSplits {
  LargeEdges edges;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t j) const { return edges.is_split(j) ? 1 : 0; }
};

struct KeepSplits {
  LargeEdges edges;
  const std::uint32_t* before;  // splits before each large edge
  std::uint32_t *rank, *at;     // of each split
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto j = std::uint32_t(k);
    if (!edges.is_split(j)) return;
    rank[before[j]] = edges.rank[j];
    at[before[j]] = j;
  }
};

// Clusters before they are numbered: 2s and 2s + 1 are born left and right of split s, and behind
// them stands the root.
struct FindNodes {
  LargeEdges edges;
  RankMaxima splits;
  std::uint32_t* node;     // of each large edge; before, how many splits stand before it
  std::uint32_t* highest;  // of each node, inverted: the edge that made it
  std::uint32_t* lowest;   // of each node: the edge at which it splits or is empty
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto j = std::uint32_t(k);
    const std::uint32_t rank = edges.rank[j], before = node[j];
    const bool is_split = edges.is_split(j);
    const std::uint32_t left = splits.last_above(before, rank);
    const std::uint32_t right = splits.next_above(before + (is_split ? 1 : 0), rank);
    const std::uint32_t left_rank = left == kNone ? kNone : splits.level[0][left];
    const std::uint32_t right_rank = right == kNone ? kNone : splits.level[0][right];
    std::uint32_t own = 2 * splits.size[0];
    if (left_rank < right_rank)
      own = 2 * left + 1;
    else if (right != kNone)
      own = 2 * right;
    node[j] = own;
    atomic_minimum(highest + own, ~rank);
    if (is_split || edges.is_lowest(j)) lowest[own] = rank;
  }
};

// Where clusters stand among all: those of splits of higher ranks first, of two of one split that
// of the smaller rank.
struct NodeNumbers {
  const std::uint32_t* turn;  // of each split
  const std::uint32_t* highest;
  std::uint32_t splits;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t node) const {
    if (node == 2 * splits) return 0;
    return 1 + 2 * turn[node / 2] + (~highest[node] > ~highest[node ^ 1] ? 1 : 0);
  }
};

struct KeepTurns {
  const std::uint32_t* by_rank;  // splits
  std::uint32_t* turn;
  std::uint32_t splits;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    turn[by_rank[k]] = splits - 1 - std::uint32_t(k);
  }
};

struct WidenRanks {
  const std::uint32_t* rank;
  std::uint64_t* key;
  HALOSCOPE_HD void operator()(std::size_t k) const { key[k] = rank[k]; }
};

// Of each cluster.
struct ClusterColumns {
  std::uint32_t *parent, *size;
  double *birth, *death;
};

struct DescribeNodes {
  NodeNumbers number;
  Lambdas lambda;
  const std::uint32_t *split_rank, *split_at, *node_of_edge, *size_of_rank, *lowest;
  ClusterColumns clusters;
  std::uint32_t points;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto node = std::uint32_t(k);
    const std::uint32_t c = number(node);
    clusters.death[c] = lambda(lowest[node]);
    if (c == 0) {
      clusters.parent[c] = kNone;
      clusters.size[c] = points;
      clusters.birth[c] = 0;
      return;
    }
    clusters.parent[c] = number(node_of_edge[split_at[node / 2]]);
    clusters.size[c] = size_of_rank[~number.highest[node]];
    clusters.birth[c] = lambda(split_rank[node / 2]);
  }
};

// The edge at which each group falls out of which cluster.
struct FindFalls {
  NodeNumbers number;
  LargeEdges edges;
  const std::uint32_t* node;
  std::uint32_t *falls_at, *cluster;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto g = std::uint32_t(k);
    const std::uint32_t left = g > 0 ? edges.rank[g - 1] : kNone;
    const std::uint32_t right = g < edges.count ? edges.rank[g] : kNone;
    falls_at[g] = left < right ? left : right;
    cluster[g] = number(node[left < right ? g - 1 : g]);
  }
};

HALOSCOPE_HD inline void add_to(ExcessSum* sums, std::uint32_t cluster, const ExcessSum& sum) {
  atomic_add(&sums[cluster].high, sum.high);
  atomic_add(&sums[cluster].low, sum.low);
}

// Of groups that fall out of one cluster and lie side by side, sixteen at most.
struct SumGroups {
  static constexpr std::uint32_t kMost = 16;
  ClusterColumns clusters;
  Lambdas lambda;
  const std::uint32_t *cluster, *falls_at, *begin;  // of each group
  std::uint32_t groups;
  ExcessSum* sums;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    auto g = std::uint32_t(k);
    const std::uint32_t own = cluster[g];
    if (g % kMost != 0 && cluster[g - 1] == own) return;
    const double birth = clusters.birth[own], death = clusters.death[own];
    if (!(death < HUGE_VAL)) return;
    const int exponent = excess_exponent(death);
    ExcessSum sum;
    do {
      sum.add(excess(birth, lambda(falls_at[g])), begin[g + 1] - begin[g], exponent);
      ++g;
    } while (g < groups && g % kMost != 0 && cluster[g] == own);
    add_to(sums, own, sum);
  }
};

struct SumClusters {
  ClusterColumns clusters;
  ExcessSum* sums;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t c = std::uint32_t(k) + 1, above = clusters.parent[c];
    const double death = clusters.death[above];
    if (!(death < HUGE_VAL)) return;
    ExcessSum sum;
    sum.add(excess(clusters.birth[above], clusters.birth[c]), clusters.size[c],
            excess_exponent(death));
    add_to(sums, above, sum);
  }
};

struct FinishSums {
  const ExcessSum* sums;
  ClusterColumns clusters;
  double* stability;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    stability[c] = excess_of(sums[c], clusters.birth[c], clusters.death[c]);
  }
};

struct WriteFalls {
  const std::uint32_t *order, *group;  // of each place
  const std::uint32_t *cluster, *falls_at;
  Lambdas lambda;
  std::uint32_t* point_cluster;
  double* point_lambda;
  HALOSCOPE_HD void operator()(std::size_t place) const {
    const std::uint32_t g = group[place], point = order[place];
    point_cluster[point] = cluster[g];
    point_lambda[point] = lambda(falls_at[g]);
  }
};

// A condensed tree on an executor; what it has of each cluster is on the host.
template <class Exec>
struct CondensedOn {
  ClusterTotals totals;
  Buffer<std::uint32_t, Exec> group;              // of each place in the dendrogram's order
  Buffer<std::uint32_t, Exec> falls_at, cluster;  // of each group: the rank of an edge
  Buffer<double, Exec> death;                     // of each cluster
};

// Of two points or more, whose dendrogram and squared weights by rank are on the executor.
template <class Exec>
class Condenser {
 public:
  // `room` is memory that the totals may take. Throws Error unless `least` is 2 or more.
  Condenser(Exec& exec, const hierarchy::DendrogramOn<Exec>& dendrogram, const Lambdas& lambda,
            std::uint32_t least, ClusterTotals room = {})
      : exec_(exec),
        dendrogram_(dendrogram),
        lambda_(lambda),
        points_(std::uint32_t(dendrogram.order.size())),
        least_(least) {
    require_least_size(least);
    made_.totals = std::move(room);
  }

  CondensedOn<Exec> make() {
    find_groups();
    find_splits();
    find_nodes();
    describe();
    sum();
    return std::move(made_);
  }

 private:
  template <class T>
  Buffer<T, Exec> room(std::size_t size) {
    return {exec_, size, "condensed tree"};
  }
  template <class F>
  void each(std::size_t n, const F& f) {
    parallel_for(exec_, "condensed tree", n, f);
  }
  std::uint32_t last_of(const Buffer<std::uint32_t, Exec>& values) {
    std::uint32_t last = 0;
    exec_.download(&last, values.data() + values.size() - 1, sizeof(last));
    return last;
  }
  LargeEdges edges() const { return {rank_.data(), std::uint32_t(rank_.size())}; }
  NodeNumbers number() const { return {turn_.data(), highest_.data(), splits_}; }

  void find_groups() {
    const thrust::counting_iterator<std::uint32_t> place(0);
    made_.group = room<std::uint32_t>(points_);
    thrust::transform_exclusive_scan(
        exec_.policy(), place, place + points_, made_.group.data(),
        IsLarge{dendrogram_.between.data(), dendrogram_.size.data(), points_ - 1, least_}, 0u,
        thrust::plus<std::uint32_t>());
    const std::uint32_t large = last_of(made_.group);
    rank_ = room<std::uint32_t>(large);
    begin_ = room<std::uint32_t>(std::size_t(large) + 2);
    exec_.zero(begin_.data(), sizeof(std::uint32_t));
    exec_.upload(begin_.data() + large + 1, &points_, sizeof(points_));
    each(points_ - 1,
         KeepLarge{dendrogram_.between.data(), made_.group.data(), rank_.data(), begin_.data()});
  }

  void find_splits() {
    const thrust::counting_iterator<std::uint32_t> edge(0);
    node_ = room<std::uint32_t>(rank_.size());
    thrust::transform_exclusive_scan(exec_.policy(), edge, edge + rank_.size(), node_.data(),
                                     CountSplits{edges()}, 0u, thrust::plus<std::uint32_t>());
    splits_ = last_of(node_);
    split_rank_ = room<std::uint32_t>(splits_);
    split_at_ = room<std::uint32_t>(splits_);
    each(rank_.size(), KeepSplits{edges(), node_.data(), split_rank_.data(), split_at_.data()});
  }

  void find_nodes() {
    const std::size_t nodes = 2 * std::size_t(splits_) + 1;
    highest_ = room<std::uint32_t>(nodes);
    lowest_ = room<std::uint32_t>(nodes);
    thrust::fill(exec_.policy(), highest_.begin(), highest_.end(), kNone);
    const RankMaximaOn<Exec> maxima(exec_, split_rank_);
    each(rank_.size(),
         FindNodes{edges(), maxima.view(), node_.data(), highest_.data(), lowest_.data()});
    auto keys = room<std::uint64_t>(splits_);
    auto by_rank = room<std::uint32_t>(splits_);
    turn_ = room<std::uint32_t>(splits_);
    if (splits_ == 0) return;
    each(splits_, WidenRanks{split_rank_.data(), keys.data()});
    thrust::sequence(exec_.policy(), by_rank.begin(), by_rank.end());
    sort_pairs(exec_, keys, by_rank, 32);
    each(splits_, KeepTurns{by_rank.data(), turn_.data(), splits_});
  }

  void describe() {
    const std::size_t clusters = 2 * std::size_t(splits_) + 1, groups = rank_.size() + 1;
    parent_ = room<std::uint32_t>(clusters);
    size_ = room<std::uint32_t>(clusters);
    birth_ = room<double>(clusters);
    made_.death = room<double>(clusters);
    each(clusters,
         DescribeNodes{number(), lambda_, split_rank_.data(), split_at_.data(), node_.data(),
                       dendrogram_.size.data(), lowest_.data(), columns(), points_});
    made_.falls_at = room<std::uint32_t>(groups);
    made_.cluster = room<std::uint32_t>(groups);
    each(groups,
         FindFalls{number(), edges(), node_.data(), made_.falls_at.data(), made_.cluster.data()});
  }

  ClusterColumns columns() {
    return {parent_.data(), size_.data(), birth_.data(), made_.death.data()};
  }

  void sum() {
    auto sums = room<ExcessSum>(parent_.size());
    exec_.zero(sums.data(), sums.size() * sizeof(ExcessSum));
    each(made_.cluster.size(),
         SumGroups{columns(), lambda_, made_.cluster.data(), made_.falls_at.data(), begin_.data(),
                   std::uint32_t(made_.cluster.size()), sums.data()});
    each(parent_.size() - 1, SumClusters{columns(), sums.data()});
    auto stability = room<double>(parent_.size());
    each(parent_.size(), FinishSums{sums.data(), columns(), stability.data()});
    ClusterTotals& totals = made_.totals;
    download_to(totals.parent, parent_);
    download_to(totals.size, size_);
    download_to(totals.birth, birth_);
    download_to(totals.death, made_.death);
    download_to(totals.stability, stability);
  }
  template <class T>
  void download_to(std::vector<T>& values, const Buffer<T, Exec>& buffer) {
    values.resize(buffer.size());
    exec_.download(values.data(), buffer.data(), values.size() * sizeof(T));
  }

  Exec& exec_;
  const hierarchy::DendrogramOn<Exec>& dendrogram_;
  const Lambdas lambda_;
  const std::uint32_t points_, least_;
  std::uint32_t splits_ = 0;
  Buffer<std::uint32_t, Exec> rank_, node_;            // of each large edge
  Buffer<std::uint32_t, Exec> begin_;                  // of each group, and the end
  Buffer<std::uint32_t, Exec> split_rank_, split_at_;  // of each split
  Buffer<std::uint32_t, Exec> turn_;                   // of each split
  Buffer<std::uint32_t, Exec> highest_, lowest_;       // of each node
  Buffer<std::uint32_t, Exec> parent_, size_;          // of each cluster
  Buffer<double, Exec> birth_;
  CondensedOn<Exec> made_;
};

// As condense() on the host makes it.
template <class Exec>
CondensedTree download(Exec& exec, const CondensedOn<Exec>& condensed,
                       const hierarchy::DendrogramOn<Exec>& dendrogram, const Lambdas& lambda) {
  CondensedTree tree;
  tree.parent = condensed.totals.parent;
  tree.size = condensed.totals.size;
  tree.birth = condensed.totals.birth;
  const std::size_t points = dendrogram.order.size();
  Buffer<std::uint32_t, Exec> cluster(exec, points, "condensed tree");
  Buffer<double, Exec> falls(exec, points, "condensed tree");
  parallel_for(exec, "condensed tree", points,
               WriteFalls{dendrogram.order.data(), condensed.group.data(), condensed.cluster.data(),
                          condensed.falls_at.data(), lambda, cluster.data(), falls.data()});
  tree.point_cluster = download(exec, cluster);
  tree.point_lambda = download(exec, falls);
  return tree;
}

}  // namespace haloscope::compute::clusters
