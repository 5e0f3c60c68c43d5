#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/slices.inl"
#include "compute/exec/sort.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/spanning_forest.h"
#include "core/host_device.h"

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sequence.h>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

// Borůvka's algorithm on a graph, for either executor.
namespace haloscope::compute::hierarchy {

// Keys in the order of the weights, so that one atomic finds the least; −0 and 0 are one weight.
HALOSCOPE_HD inline std::uint32_t weight_key(float weight, bool descending) {
  if (weight == 0) weight = 0;
  union {
    float value;
    std::uint32_t bits;
  } word{weight};
  const std::uint32_t ascending = word.bits & 0x80000000u ? ~word.bits : word.bits | 0x80000000u;
  return descending ? ~ascending : ascending;
}

struct GraphView {
  const std::uint64_t* begin;
  const std::uint32_t* neighbor;
  const float* weight;
  bool descending;

  HALOSCOPE_HD std::uint32_t key(std::uint64_t edge) const {
    return weight_key(weight[edge], descending);
  }
};

// What each component takes: the least weight, and of the edges of that weight the first.
struct TakenView {
  std::uint32_t* key;
  std::uint64_t* ends;
};

// Calls f(edge, color of the other end) for the edges of v that leave its component.
template <class F>
HALOSCOPE_HD void for_leaving(const GraphView& graph, const std::uint32_t* color, std::uint32_t v,
                              const F& f) {
  for (std::uint64_t e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
    const std::uint32_t other = color[graph.neighbor[e]];
    if (other != color[v]) f(e, other);
  }
}

struct TakeWeights {
  GraphView graph;
  const std::uint32_t* color;
  TakenView taken;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto v = std::uint32_t(i);
    std::uint32_t least = kNone;
    for_leaving(graph, color, v, [&](std::uint64_t e, std::uint32_t other) {
      const std::uint32_t key = graph.key(e);
      least = key < least ? key : least;
      // The other end may not have this edge.
      atomic_minimum(taken.key + other, key);
    });
    if (least != kNone) atomic_minimum(taken.key + color[v], least);
  }
};

struct TakeEnds {
  GraphView graph;
  const std::uint32_t* color;
  TakenView taken;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto v = std::uint32_t(i);
    for_leaving(graph, color, v, [&](std::uint64_t e, std::uint32_t other) {
      const std::uint32_t key = graph.key(e);
      const std::uint64_t ends = ends_key(v, graph.neighbor[e]);
      if (key == taken.key[color[v]]) atomic_minimum(taken.ends + color[v], ends);
      if (key == taken.key[other]) atomic_minimum(taken.ends + other, ends);
    });
  }
};

// Where each component goes, and the edge that joins it, but for one of two that take one edge.
// Colors are vertices, one of each component.
struct JoinColors {
  TakenView taken;
  const std::uint32_t* color;
  std::uint32_t* up;
  std::uint8_t* joined;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto v = std::uint32_t(i);
    const std::uint64_t ends = taken.ends[v];
    up[v] = v;
    joined[v] = 0;
    if (color[v] != v || ends == kNoEdge) return;
    const std::uint32_t low = color[ends >> 32], high = color[std::uint32_t(ends)];
    const std::uint32_t other = low == v ? high : low;
    if (taken.ends[other] == ends && v < other) return;
    up[v] = other;
    joined[v] = 1;
  }
};

struct IsJoined {
  const std::uint8_t* joined;
  HALOSCOPE_HD bool operator()(std::uint32_t v) const { return joined[v] != 0; }
};

struct WriteJoined {
  TakenView taken;
  const std::uint32_t* joined;  // components
  std::uint32_t* key;
  std::uint64_t* ends;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    key[i] = taken.key[joined[i]];
    ends[i] = taken.ends[joined[i]];
  }
};

struct WidenKeys {
  const std::uint32_t *key, *order;
  std::uint64_t* wide;
  HALOSCOPE_HD void operator()(std::size_t i) const { wide[i] = key[order[i]]; }
};

// The weight of a key.
inline float weight_of(std::uint32_t key, bool descending) {
  if (descending) key = ~key;
  return std::bit_cast<float>(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

template <class Exec>
SpanningForest spanning_forest_on(Exec& exec, const Graph& graph, Spanning spanning) {
  const std::uint32_t n = graph.vertices();
  const bool descending = spanning == Spanning::Maximum;
  const auto begin = upload(exec, graph.begin, "graph");
  const auto neighbor = upload(exec, graph.neighbor, "graph");
  const auto weight = upload(exec, graph.weight, "graph");
  const GraphView view{begin.data(), neighbor.data(), weight.data(), descending};
  Buffer<std::uint32_t, Exec> color(exec, n, "components"), up(exec, n, "components"),
      taken_key(exec, n, "components"), joining(exec, n, "components"), flag(exec, 1, "components");
  Buffer<std::uint64_t, Exec> taken_ends(exec, n, "components");
  Buffer<std::uint8_t, Exec> joined(exec, n, "components");
  // Of the forest, in the order in which they were found.
  Buffer<std::uint32_t, Exec> key(exec, n, "spanning forest");
  Buffer<std::uint64_t, Exec> ends(exec, n, "spanning forest");
  const TakenView taken{taken_key.data(), taken_ends.data()};
  thrust::sequence(exec.policy(), color.begin(), color.end());
  std::uint32_t found = 0;
  while (n > 0) {
    thrust::fill(exec.policy(), taken_key.begin(), taken_key.end(), kNone);
    thrust::fill(exec.policy(), taken_ends.begin(), taken_ends.end(), kNoEdge);
    parallel_for(exec, "least weights", n, TakeWeights{view, color.data(), taken});
    parallel_for(exec, "first edges", n, TakeEnds{view, color.data(), taken});
    parallel_for(exec, "joining", n, JoinColors{taken, color.data(), up.data(), joined.data()});
    const thrust::counting_iterator<std::uint32_t> vertex(0);
    const auto* const end =
        thrust::copy_if(exec.policy(), vertex, vertex + n, joining.data(), IsJoined{joined.data()});
    const auto joins = std::uint32_t(end - joining.data());
    if (joins == 0) break;
    parallel_for(exec, "edges", joins,
                 WriteJoined{taken, joining.data(), key.data() + found, ends.data() + found});
    found += joins;
    shorten(exec, up.data(), 0, n, flag.data());
    parallel_for(exec, "colors", n, ChangeColors{up.data(), color.data()});
  }

  // By weight, and within a weight by their ends: the sort keeps the order of equal keys.
  Buffer<std::uint64_t, Exec> wide(exec, found, "spanning forest");
  Buffer<std::uint32_t, Exec> order(exec, found, "spanning forest");
  if (found > 0) {
    thrust::copy_n(exec.policy(), ends.data(), found, wide.data());
    thrust::sequence(exec.policy(), order.begin(), order.end());
    sort_pairs(exec, wide, order, 64);
    parallel_for(exec, "edges", found, WidenKeys{key.data(), order.data(), wide.data()});
    sort_pairs(exec, wide, order, 32);
  }
  const std::vector<std::uint32_t> rank = download(exec, order), keys = download(exec, key);
  const std::vector<std::uint64_t> all = download(exec, ends);
  SpanningForest forest;
  forest.edges.points = n;
  for (const std::uint32_t k : rank) {
    forest.edges.a.push_back(std::uint32_t(all[k] >> 32));
    forest.edges.b.push_back(std::uint32_t(all[k]));
    forest.weight.push_back(weight_of(keys[k], descending));
  }
  return forest;
}

}  // namespace haloscope::compute::hierarchy
