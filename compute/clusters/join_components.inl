#pragma once

#include "compute/clusters/foreign_neighbors.inl"
#include "compute/exec/atomics.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// The edges that components take, and the components that they make.
namespace haloscope::compute::clusters {

// Of ends_key().
HALOSCOPE_HD inline std::uint32_t lower_end(std::uint64_t ends) {
  return std::uint32_t(ends >> 32);
}
HALOSCOPE_HD inline std::uint32_t upper_end(std::uint64_t ends) {
  return std::uint32_t(ends);
}

// The least ends among the candidates of the least weight.
template <int D>
struct TakeLeastEnds {
  TreeOfColors<D> points;
  PointState state;
  ComponentState components;
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const std::uint32_t own = points.color[i];
    if (!state.has_candidate(i) || state.bound[i] != components.weight[own]) return;
    atomic_minimum(components.ends + own, points.ends(i, state.candidate[i]));
  }
};

template <int D>
struct TakeFrom {
  TreeOfColors<D> points;
  PointState state;
  ComponentState components;
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const std::uint32_t own = points.color[i];
    if (!state.has_candidate(i) || state.bound[i] != components.weight[own]) return;
    if (points.ends(i, state.candidate[i]) == components.ends[own]) components.from[own] = i;
  }
};

// Where each point goes in the first round: to its nearest neighbor, but of two that take one
// another the first stays.
struct JoinPoints {
  const std::uint32_t* candidate;
  std::uint32_t* up;
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const std::uint32_t other = candidate[i];
    up[i] = other == kNotInList || (candidate[other] == i && i < other) ? i : other;
  }
};

// The same, but points whose nearest neighbor is no nearer than their way stay.
struct JoinPointsWithin {
  const std::uint32_t* candidate;
  const std::uint64_t *weight, *way;
  std::uint32_t* up;
  HALOSCOPE_HD bool goes(std::uint32_t i) const {
    return candidate[i] != kNotInList && weight[i] < way[i];
  }
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const std::uint32_t other = candidate[i];
    up[i] = !goes(i) || (candidate[other] == i && i < other && goes(other)) ? i : other;
  }
};

// The ways of components are the least of their points'.
struct LeastWays {
  const std::uint32_t* color;
  const std::uint64_t* way;
  std::uint64_t* of_component;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    atomic_minimum(of_component + color[i], way[i]);
  }
};
struct LowerWays {
  const std::uint32_t *joining, *up;
  std::uint64_t* way;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    atomic_minimum(way + up[joining[k]], way[joining[k]]);
  }
};
struct MoveWays {
  const std::uint32_t *up, *number;
  const std::uint64_t* way;
  std::uint64_t* to;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    if (up[c] == c) to[number[c]] = way[c];
  }
};
// Nothing as heavy as the way is looked for.
struct LimitWeights {
  ComponentState components;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    components.weight[c] = components.waits(std::uint32_t(c)) ? kFarAway : components.way[c] - 1;
  }
};

struct WriteFirstEdges {
  const std::uint32_t *candidate, *from;
  std::uint64_t* edge;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    edge[k] = ends_key(from[k], candidate[from[k]]);
  }
};

struct FirstColors {
  const std::uint32_t* number;
  std::uint32_t* color;  // the point that stays of its component, before
  HALOSCOPE_HD void operator()(std::size_t i) const { color[i] = number[color[i]]; }
};

struct CountPoints {
  const std::uint32_t* color;
  std::uint32_t* size;
  HALOSCOPE_HD void operator()(std::size_t i) const { atomic_add(size + color[i], 1); }
};

// Where each component goes; it brings its edge, but of two that take one the first stays.
struct JoinComponents {
  const std::uint32_t* color;
  const std::uint32_t* candidate;
  ComponentState components;
  std::uint32_t* up;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    const auto i = std::uint32_t(c);
    up[i] = i;
    const std::uint64_t ends = components.ends[i];
    if (ends == kNoEdge) return;
    const std::uint32_t other = color[candidate[components.from[i]]];
    if (components.ends[other] != ends || i > other) up[i] = other;
  }
};

struct BringsEdge {
  const std::uint32_t* up;
  HALOSCOPE_HD bool operator()(std::uint32_t i) const { return up[i] != i; }
};

struct WriteEdges {
  const std::uint32_t* from;  // of each component
  const std::uint32_t *joining, *candidate;
  std::uint64_t* edge;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t point = from[joining[k]];
    edge[k] = ends_key(point, candidate[point]);
  }
};

struct AddSizes {
  const std::uint32_t *joining, *up;
  std::uint32_t* size;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    atomic_add(size + up[joining[k]], size[joining[k]]);
  }
};

struct MarkRoots {
  const std::uint32_t* up;
  std::uint32_t* is_root;
  HALOSCOPE_HD void operator()(std::size_t c) const { is_root[c] = up[c] == c; }
};

struct MoveSizes {
  const std::uint32_t *up, *number, *size;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    if (up[c] == c) to[number[c]] = size[c];
  }
};

struct NumberColors {
  const std::uint32_t *up, *number;
  std::uint32_t* color;
  HALOSCOPE_HD void operator()(std::size_t i) const { color[i] = number[up[color[i]]]; }
};

}  // namespace haloscope::compute::clusters
