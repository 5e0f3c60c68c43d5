#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/phases.h"
#include "compute/exec/select.inl"
#include "compute/exec/slices.inl"
#include "compute/exec/sort.h"
#include "compute/hierarchy/components.inl"
#include "compute/hierarchy/spanning_forest.h"
#include "core/host_device.h"

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

// A graph as the rounds see it: begin(v) and end(v) bound the edges that stand at vertex v, each of
// which has another end and a key; keys are in the order of the weights.
struct GraphView {
  using Key = std::uint32_t;
  const std::uint64_t* first;
  const std::uint32_t* other;
  const float* weight;
  bool descending;

  HALOSCOPE_HD std::uint64_t begin(std::uint32_t v) const { return first[v]; }
  HALOSCOPE_HD std::uint64_t end(std::uint32_t v) const { return first[v + 1]; }
  HALOSCOPE_HD std::uint32_t neighbor(std::uint64_t e) const { return other[e]; }
  HALOSCOPE_HD Key key(std::uint32_t, std::uint64_t e) const {
    return weight_key(weight[e], descending);
  }
};

template <class Key>
inline constexpr Key kNoKey = Key(~Key(0));

// What each component takes: the least key, and of the edges of that key the first.
template <class Key>
struct TakenView {
  Key* key;
  std::uint64_t* ends;
};

// Calls f(edge, color of the other end) for the edges of v that leave its component.
template <class View, class F>
HALOSCOPE_HD void for_leaving(const View& graph, const std::uint32_t* color, std::uint32_t v,
                              const F& f) {
  for (std::uint64_t e = graph.begin(v), end = graph.end(v); e < end; ++e) {
    const std::uint32_t other = color[graph.neighbor(e)];
    if (other != color[v]) f(e, other);
  }
}

template <class View>
struct TakeKeys {
  using Key = typename View::Key;
  View graph;
  const std::uint32_t* color;
  TakenView<Key> taken;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto v = std::uint32_t(i);
    Key least = kNoKey<Key>;
    for_leaving(graph, color, v, [&](std::uint64_t e, std::uint32_t other) {
      const Key key = graph.key(v, e);
      least = key < least ? key : least;
      // The other end may not have this edge.
      atomic_minimum(taken.key + other, key);
    });
    if (least != kNoKey<Key>) atomic_minimum(taken.key + color[v], least);
  }
};

template <class View>
struct TakeEnds {
  using Key = typename View::Key;
  View graph;
  const std::uint32_t* color;
  TakenView<Key> taken;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto v = std::uint32_t(i);
    for_leaving(graph, color, v, [&](std::uint64_t e, std::uint32_t other) {
      const Key key = graph.key(v, e);
      const std::uint64_t ends = ends_key(v, graph.neighbor(e));
      if (key == taken.key[color[v]]) atomic_minimum(taken.ends + color[v], ends);
      if (key == taken.key[other]) atomic_minimum(taken.ends + other, ends);
    });
  }
};

// Where each component goes, and whether it brings its edge; of two that take one edge only one
// does. Colors are vertices, one of each component.
struct JoinColors {
  const std::uint64_t* taken_ends;
  const std::uint32_t* color;
  std::uint32_t* up;
  std::uint8_t* joined;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const auto v = std::uint32_t(i);
    const std::uint64_t ends = taken_ends[v];
    up[v] = v;
    joined[v] = 0;
    if (color[v] != v || ends == kNoEdge) return;
    const std::uint32_t low = color[ends >> 32], high = color[std::uint32_t(ends)];
    const std::uint32_t other = low == v ? high : low;
    if (taken_ends[other] == ends && v < other) return;
    up[v] = other;
    joined[v] = 1;
  }
};

struct IsJoined {
  const std::uint8_t* joined;
  HALOSCOPE_HD bool operator()(std::uint32_t v) const { return joined[v] != 0; }
};

template <class Key>
struct WriteJoined {
  TakenView<Key> taken;
  const std::uint32_t *joined, *joins;  // components, and how many
  Key* key;
  std::uint64_t* ends;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    if (i >= *joins) return;
    key[i] = taken.key[joined[i]];
    ends[i] = taken.ends[joined[i]];
  }
};

template <class Key>
struct WidenKeys {
  const Key* key;
  const std::uint32_t* order;
  std::uint64_t* wide;
  HALOSCOPE_HD void operator()(std::size_t i) const { wide[i] = key[order[i]]; }
};

// Ends in as few bits as the numbers of vertices need, in the same order.
struct NarrowEnds {
  const std::uint64_t* ends;
  int bits;
  std::uint64_t* narrow;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    narrow[i] = ends[i] >> 32 << bits | std::uint32_t(ends[i]);
  }
};

// The weight of a key.
HALOSCOPE_HD inline float weight_of(std::uint32_t key, bool descending) {
  if (descending) key = ~key;
  union {
    std::uint32_t bits;
    float value;
  } word{key & 0x80000000u ? key & 0x7fffffffu : ~key};
  return word.value;
}

struct WriteByRank {
  const std::uint32_t *key, *order;  // of each edge, and of each rank
  const std::uint64_t* ends;
  bool descending;
  std::uint32_t *a, *b;
  float* weight;
  HALOSCOPE_HD void operator()(std::size_t rank) const {
    const std::uint32_t edge = order[rank];
    a[rank] = std::uint32_t(ends[edge] >> 32);
    b[rank] = std::uint32_t(ends[edge]);
    weight[rank] = weight_of(key[edge], descending);
  }
};

// Grows the spanning forest of vertices that are components of their own at first.
template <class Exec, class Key>
class ForestGrower {
 public:
  ForestGrower(Exec& exec, std::uint32_t vertices)
      : exec_(exec),
        vertices_(vertices),
        color_(exec, vertices, "components"),
        up_(exec, vertices, "components"),
        joining_(exec, vertices, "components"),
        words_(exec, kWords, "components"),
        joined_(exec, vertices, "components"),
        taken_key_(exec, vertices, "components"),
        taken_ends_(exec, vertices, "components"),
        key_(exec, vertices, "spanning forest"),
        ends_(exec, vertices, "spanning forest") {
    thrust::sequence(exec_.policy(), color_.begin(), color_.end());
    exec_.zero(words_.data(), sizeof(word_));
  }

  // Goes on until no edge of the graph leaves a component.
  template <class View>
  void grow(const View& graph) {
    do {
      take_nothing();
      parallel_for(exec_, "least weights", vertices_,
                   TakeKeys<View>{graph, color_.data(), taken()});
      parallel_for(exec_, "first edges", vertices_, TakeEnds<View>{graph, color_.data(), taken()});
    } while (join());
  }

  void take_nothing() {
    thrust::fill(exec_.policy(), taken_key_.begin(), taken_key_.end(), kNoKey<Key>);
    thrust::fill(exec_.policy(), taken_ends_.begin(), taken_ends_.end(), kNoEdge);
  }
  // What each component takes; components are called by their colors, which are vertices.
  TakenView<Key> taken() { return {taken_key_.data(), taken_ends_.data()}; }
  const std::uint32_t* color() const { return color_.data(); }

  // Joins components by the edges that they took. False: none took one.
  bool join() {
    return join_and([] {}) > 0;
  }

  // The same, and copies those of `count` edges that still join two components to `to`; returns how
  // many. The host waits once for all of it. Keep: bool(std::uint32_t edge), by the colors.
  template <class Edges, class Keep>
  std::uint32_t join_and_select(const Edges& edges, std::uint32_t count, std::uint32_t* to,
                                const Keep& keep) {
    join_and([&] { select_if(exec_, "edges", edges, count, to, words_.data() + kSelected, keep); });
    return word_[kSelected];
  }

  std::uint32_t edges() const { return found_; }
  // Of each edge, in the order in which they were found.
  const std::uint64_t* ends() const { return ends_.data(); }
  const Key* keys() const { return key_.data(); }

  // The edges in the order of their keys and ends: the sort keeps the order of equal keys.
  Buffer<std::uint32_t, Exec> order() {
    Buffer<std::uint64_t, Exec> wide(exec_, found_, "spanning forest");
    Buffer<std::uint32_t, Exec> order(exec_, found_, "spanning forest");
    if (found_ == 0) return order;
    const int bits = int(std::bit_width(vertices_));
    parallel_for(exec_, "edges", found_, NarrowEnds{ends_.data(), bits, wide.data()});
    thrust::sequence(exec_.policy(), order.begin(), order.end());
    sort_pairs(exec_, wide, order, 2 * bits);
    parallel_for(exec_, "edges", found_, WidenKeys<Key>{key_.data(), order.data(), wide.data()});
    sort_pairs(exec_, wide, order, 8 * int(sizeof(Key)));
    return order;
  }

 private:
  // What the host reads after each round.
  enum Word { kUnfinished, kJoins, kSelected, kWords };

  // Returns how many components joined another. Calls then() behind each pass over the colors: only
  // the last one sees those of the joined components. Seldom there is more than one pass, so that
  // then() is ordered before the host knows.
  template <class Then>
  std::uint32_t join_and(const Then& then) {
    parallel_for(exec_, "joining", vertices_,
                 JoinColors{taken_ends_.data(), color_.data(), up_.data(), joined_.data()});
    const thrust::counting_iterator<std::uint32_t> vertex(0);
    std::uint32_t* const words = words_.data();
    select_if(exec_, "components", vertex, vertices_, joining_.data(), words + kJoins,
              IsJoined{joined_.data()});
    parallel_for(exec_, "edges", vertices_,
                 WriteJoined<Key>{taken(), joining_.data(), words + kJoins, key_.data() + found_,
                                  ends_.data() + found_});
    do {
      shorten_once(exec_, up_.data(), 0, vertices_, words + kUnfinished);
      parallel_for(exec_, "colors", vertices_, ChangeColors{up_.data(), color_.data()});
      then();
      exec_.download(word_, words, sizeof(word_));
    } while (word_[kUnfinished]);
    found_ += word_[kJoins];
    return word_[kJoins];
  }

  Exec& exec_;
  std::uint32_t vertices_, found_ = 0;
  Buffer<std::uint32_t, Exec> color_, up_, joining_, words_;
  std::uint32_t word_[kWords] = {};  // as they were read last
  Buffer<std::uint8_t, Exec> joined_;
  Buffer<Key, Exec> taken_key_;
  Buffer<std::uint64_t, Exec> taken_ends_;
  Buffer<Key, Exec> key_;
  Buffer<std::uint64_t, Exec> ends_;
};

// What a grower found, by rank.
template <class Exec>
struct RankedEdges {
  Buffer<std::uint32_t, Exec> a, b;
  Buffer<float, Exec> weight;

  RankedEdges(Exec& exec, ForestGrower<Exec, std::uint32_t>& grower, bool descending)
      : a(exec, grower.edges(), "spanning forest"),
        b(exec, grower.edges(), "spanning forest"),
        weight(exec, grower.edges(), "spanning forest") {
    const Buffer<std::uint32_t, Exec> order = grower.order();
    parallel_for(exec, "edges", grower.edges(),
                 WriteByRank{grower.keys(), order.data(), grower.ends(), descending, a.data(),
                             b.data(), weight.data()});
    exec.synchronize();
  }
  SpanningForest download(Exec& exec, std::uint32_t vertices) const {
    return {{vertices, compute::download(exec, a), compute::download(exec, b)},
            compute::download(exec, weight)};
  }
};

template <class Exec>
SpanningForest spanning_forest_on(Exec& exec, const Graph& graph, Spanning spanning,
                                  Timings* timings) {
  Timings unused;
  Phases<Exec> phases(exec, timings ? *timings : unused);
  const std::uint32_t n = graph.vertices();
  const bool descending = spanning == Spanning::Maximum;
  phases.begin("upload");
  const auto begin = upload(exec, graph.begin, "graph");
  const auto neighbor = upload(exec, graph.neighbor, "graph");
  const auto weight = upload(exec, graph.weight, "graph");
  phases.begin("rounds");
  ForestGrower<Exec, std::uint32_t> grower(exec, n);
  if (n > 0) grower.grow(GraphView{begin.data(), neighbor.data(), weight.data(), descending});
  phases.begin("order");
  const RankedEdges<Exec> edges(exec, grower, descending);
  phases.begin("download");
  SpanningForest forest = edges.download(exec, n);
  phases.end();
  return forest;
}

}  // namespace haloscope::compute::hierarchy
