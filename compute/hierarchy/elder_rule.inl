#pragma once

#include "compute/exec/buffer.h"
#include "compute/hierarchy/dendrogram.inl"
#include "core/host_device.h"

#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

#include <cstddef>
#include <cstdint>
#include <utility>

// The elder rule on a forest, for either executor: points have ages, and where two clusters merge
// the older of their oldest points goes on, the other's branch ends (Edelsbrunner, Letscher,
// Zomorodian 2002). Ages of clusters are the least ages along the chains of the dendrogram, as
// sizes are sums.
namespace haloscope::compute::hierarchy {

struct Smaller {
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return a < b ? a : b;
  }
};

// The oldest of the nodes that take an edge.
struct OldestAdded {
  ChainView chains;
  const std::uint32_t *a, *b, *lightest, *node_elder;
  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t k) const {
    const std::uint32_t edge = chains.edge[k];
    const std::uint32_t one = lightest[a[edge]] == edge ? node_elder[a[edge]] : kNone;
    const std::uint32_t other = lightest[b[edge]] == edge ? node_elder[b[edge]] : kNone;
    return one < other ? one : other;
  }
};

struct KeepElders {
  ChainView chains;
  const std::uint32_t* elder;  // of each place
  std::uint32_t* node_elder;
  std::uint32_t first;  // place
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t k = first + std::uint32_t(i);
    if (chains.ends(k)) node_elder[chains.node[k]] = elder[k];
  }
};

// Moments of edges, which ascend with their ranks.
struct MomentsView {
  const std::uint64_t* of;
  std::uint32_t edges;
  // Whether more edges happen at the same moment behind it.
  HALOSCOPE_HD bool goes_on(std::uint32_t edge) const {
    return edge + 1 < edges && of[edge + 1] == of[edge];
  }
};

// Whose branch each edge ends, the point at its other end, and whose branch goes on there. That is
// the oldest of the chain behind the edge, unless more happens at the same moment (FindParents).
struct EndBranches {
  ChainView chains;
  const std::uint32_t *a, *b;              // nodes
  const std::uint32_t *a_point, *b_point;  // the ends themselves
  const std::uint32_t *lightest, *node_elder, *elder, *by_age;
  MomentsView moments;
  std::uint32_t *death, *across, *parent;
  HALOSCOPE_HD void operator()(std::size_t place) const {
    const auto k = std::uint32_t(place);
    const std::uint32_t edge = chains.edge[k];
    const bool a_is_added = lightest[a[edge]] == edge, b_is_added = lightest[b[edge]] == edge;
    // What is not added here is the chain's cluster before this edge.
    const std::uint32_t before = chains.begins(k) ? kNone : elder[k - 1];
    const std::uint32_t a_elder = a_is_added ? node_elder[a[edge]] : before;
    const std::uint32_t b_elder = b_is_added ? node_elder[b[edge]] : before;
    const bool a_ends = a_elder > b_elder;
    const std::uint32_t ending = by_age[a_ends ? a_elder : b_elder];
    death[ending] = edge;
    across[ending] = a_ends ? b_point[edge] : a_point[edge];
    if (!moments.goes_on(edge)) parent[ending] = by_age[elder[k]];
  }
};

struct BoundChains {
  ChainView chains;
  std::uint32_t *first, *last;  // places of each node's chain
  HALOSCOPE_HD void operator()(std::size_t place) const {
    const auto k = std::uint32_t(place);
    if (chains.begins(k)) first[chains.node[k]] = k;
    if (chains.ends(k)) last[chains.node[k]] = k;
  }
};

// Tells the oldest point of any cluster at any moment. Edges happen at moments, which ascend with
// their ranks.
struct EldersView {
  const std::uint32_t *lightest, *up;  // of nodes
  const std::uint32_t *first, *last;   // places of each node's chain; kNone: it has none
  const std::uint32_t *edge, *elder;   // of each place
  const std::uint64_t* moment;         // of each edge

  // The age of the oldest point in the cluster that `point` of `age` is in when the edges have
  // merged of whose moments has_come(moment) is true, the first ones: up the nodes whose edges
  // have, and within the chain of the last of them to the last edge that has.
  template <class HasCome>
  HALOSCOPE_HD std::uint32_t oldest(std::uint32_t point, std::uint32_t age,
                                    const HasCome& has_come) const {
    std::uint32_t node = point;
    while (lightest[node] != kNone && has_come(moment[lightest[node]])) node = up[node];
    if (first[node] == kNone) return age;
    std::uint32_t low = first[node], high = last[node];
    while (low < high) {
      const std::uint32_t middle = low + (high - low + 1) / 2;
      if (has_come(moment[edge[middle]]))
        low = middle;
      else
        high = middle - 1;
    }
    return elder[low];
  }
};

// Of points whose branch ends at a moment at which more happens behind their edge.
struct FindParents {
  EldersView elders;
  MomentsView moments;
  const std::uint32_t *death, *age, *by_age;
  std::uint32_t* parent;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto point = std::uint32_t(i);
    const std::uint32_t edge = death[point];
    if (edge == kNone || !moments.goes_on(edge)) return;
    const std::uint64_t end = elders.moment[edge];
    const auto has_come = [&](std::uint64_t moment) { return moment <= end; };
    parent[point] = by_age[elders.oldest(point, age[point], has_come)];
  }
};

// The branches of points, and what EldersView looks at.
template <class Exec>
struct EldersOn {
  Buffer<std::uint32_t, Exec> death;   // the edge that ends each point's branch; kNone: none does
  Buffer<std::uint32_t, Exec> parent;  // the oldest point of all that has merged at that moment
  Buffer<std::uint32_t, Exec> across;  // the end of that edge in the other cluster
  Buffer<std::uint32_t, Exec> lightest, up, first, last, edge, elder;

  EldersView view(const std::uint64_t* moment) const {
    return {lightest.data(), up.data(),    first.data(), last.data(),
            edge.data(),     elder.data(), moment};
  }
};

// Ages on the device: of each point, the smallest is the oldest, and the point of each age.
struct AgesView {
  const std::uint32_t *age, *by_age;
};

template <class Exec>
class ElderRule : private DendrogramMaker<Exec> {
  using Base = DendrogramMaker<Exec>;
  using Base::begin_, Base::by_chain_, Base::chain_, Base::chains, Base::edges_, Base::exec_,
      Base::forest_, Base::lightest_, Base::places_, Base::points_, Base::up_;

 public:
  // The edges' points are read again at the end: `a` and `b` outlive it, and are those of `forest`,
  // which lie by rank.
  ElderRule(Exec& exec, ForestOn<Exec> forest, const std::uint32_t* a, const std::uint32_t* b)
      : Base(exec, std::move(forest)), a_(a), b_(b) {}

  // `moment`: of each edge, not descending.
  EldersOn<Exec> make(const AgesView& ages, const std::uint64_t* moment) {
    Base::contract();
    Base::find_chains();
    Base::sort_chains();
    const MomentsView moments{moment, edges_};
    find_elders(ages, moments);
    bound_chains();
    elders_.lightest = std::move(lightest_);
    elders_.up = std::move(up_);
    elders_.edge = std::move(by_chain_);
    parallel_for(exec_, "parents", points_,
                 FindParents{elders_.view(moment), moments, elders_.death.data(), ages.age,
                             ages.by_age, elders_.parent.data()});
    return std::move(elders_);
  }

 private:
  void find_elders(const AgesView& ages, const MomentsView& moments) {
    elders_.elder = Buffer<std::uint32_t, Exec>(exec_, edges_, "branches");
    Buffer<std::uint32_t, Exec> node_elder(exec_, begin_.back(), "branches");
    thrust::copy_n(exec_.policy(), ages.age, points_, node_elder.data());
    std::uint32_t* const elder = elders_.elder.data();
    const std::uint32_t *const a = forest_.a.data(), *const b = forest_.b.data();
    for (std::size_t round = 1; round + 1 < places_.size(); ++round) {
      const std::uint32_t begin = places_[round], end = places_[round + 1];
      if (begin == end) continue;
      thrust::transform(exec_.policy(), thrust::counting_iterator<std::uint32_t>(begin),
                        thrust::counting_iterator<std::uint32_t>(end), elder + begin,
                        OldestAdded{chains(), a, b, lightest_.data(), node_elder.data()});
      thrust::inclusive_scan_by_key(exec_.policy(), chain_.data() + begin, chain_.data() + end,
                                    elder + begin, elder + begin, thrust::equal_to<std::uint32_t>(),
                                    Smaller{});
      parallel_for(exec_, "branches", end - begin,
                   KeepElders{chains(), elder, node_elder.data(), begin});
    }
    elders_.death = Buffer<std::uint32_t, Exec>(exec_, points_, "branches");
    elders_.across = Buffer<std::uint32_t, Exec>(exec_, points_, "branches");
    elders_.parent = Buffer<std::uint32_t, Exec>(exec_, points_, "branches");
    for (auto* const column : {&elders_.death, &elders_.across, &elders_.parent})
      thrust::fill(exec_.policy(), column->begin(), column->end(), kNone);
    parallel_for(
        exec_, "branches", edges_,
        EndBranches{chains(), a, b, a_, b_, lightest_.data(), node_elder.data(), elder, ages.by_age,
                    moments, elders_.death.data(), elders_.across.data(), elders_.parent.data()});
  }

  void bound_chains() {
    elders_.first = Buffer<std::uint32_t, Exec>(exec_, begin_.back(), "branches");
    elders_.last = Buffer<std::uint32_t, Exec>(exec_, begin_.back(), "branches");
    thrust::fill(exec_.policy(), elders_.first.begin(), elders_.first.end(), kNone);
    parallel_for(exec_, "chains", edges_,
                 BoundChains{chains(), elders_.first.data(), elders_.last.data()});
  }

  const std::uint32_t *a_, *b_;
  EldersOn<Exec> elders_;
};

}  // namespace haloscope::compute::hierarchy
