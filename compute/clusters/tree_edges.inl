#pragma once

#include "compute/clusters/colored_tree.inl"
#include "compute/clusters/join_components.inl"
#include "compute/exec/sort.h"
#include "compute/hierarchy/components.inl"
#include "core/host_device.h"

#include <thrust/copy.h>
#include <thrust/sequence.h>

#include <cstddef>
#include <cstdint>
#include <utility>

// The edges of a spanning tree in the order of their weights and ends.
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

// Edges by their numbers, and these in the order of weights and ends.
template <class Exec>
struct OrderedEdges {
  Buffer<std::uint32_t, Exec> order;
  Buffer<std::uint64_t, Exec> weight, ends;  // of each number
};

// The plain way: by digits of all 64 bits, twice.
template <class Exec>
void sort_by_ends_and_weights(Exec& exec, OrderedEdges<Exec>& edges) {
  const std::size_t count = edges.order.size();
  Buffer<std::uint64_t, Exec> keys(exec, count, "spanning tree");
  thrust::sequence(exec.policy(), edges.order.begin(), edges.order.end());
  thrust::copy_n(exec.policy(), edges.ends.data(), count, keys.data());
  sort_pairs(exec, keys, edges.order, 64);
  parallel_for(exec, "order", count,
               GatherWords{edges.weight.data(), edges.order.data(), keys.data()});
  sort_pairs(exec, keys, edges.order, 64);
}

// Of so many edges, each as ends_key() of its places.
template <int D, class Exec>
OrderedEdges<Exec> order_edges(Exec& exec, const TreeOfColors<D>& points, const std::uint64_t* edge,
                               std::uint32_t count) {
  OrderedEdges<Exec> made;
  made.order = Buffer<std::uint32_t, Exec>(exec, count, "spanning tree");
  made.weight = Buffer<std::uint64_t, Exec>(exec, count, "spanning tree");
  made.ends = Buffer<std::uint64_t, Exec>(exec, count, "spanning tree");
  if (count == 0) return made;
  Buffer<std::uint32_t, Exec> key(exec, count, "spanning tree"), is_long(exec, 1, "spanning tree");
  parallel_for(exec, "order", count,
               MeasureEdges<D>{points, edge, made.weight.data(), made.ends.data(), key.data()});
  thrust::sequence(exec.policy(), made.order.begin(), made.order.end());
  sort_pairs(exec, key, made.order, 32);
  // Few edges weigh the same, but in grids many do.
  exec.zero(is_long.data(), sizeof(std::uint32_t));
  parallel_for(exec, "order", count,
               OrderRuns{made.weight.data(), made.ends.data(), key.data(), made.order.data(), count,
                         is_long.data()});
  if (hierarchy::is_set(exec, is_long.data())) {
    key = {};
    sort_by_ends_and_weights(exec, made);
  }
  return made;
}

}  // namespace haloscope::compute::clusters
