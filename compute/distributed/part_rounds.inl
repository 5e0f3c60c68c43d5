#pragma once

#include "compute/clusters/join_components.inl"
#include "compute/distributed/part_places.inl"
#include "compute/distributed/part_search.h"
#include "compute/exec/atomics.h"
#include "core/host_device.h"

// What Borůvka's rounds over the fragments of all ranks do for each component, link and point, for
// either executor. Components have numbers without gaps, the same on all ranks.
namespace haloscope::compute::distributed {

// An edge between components, of which the first is the smaller. kNone: there is no edge.
struct Link {
  std::uint64_t weight = kFarAway, ends = hierarchy::kNoEdge;
  std::uint32_t first = hierarchy::kNone, second = hierarchy::kNone;

  HALOSCOPE_HD bool leaves() const { return first != second; }
  HALOSCOPE_HD std::uint32_t other(std::uint32_t component) const {
    return first == component ? second : first;
  }
};
HALOSCOPE_HD inline Link link_between(std::uint64_t weight, std::uint64_t ends, std::uint32_t a,
                                      std::uint32_t b) {
  return {weight, ends, a < b ? a : b, a < b ? b : a};
}

// Those of edges of this rank, between its fragments.
template <int D>
struct LinksOfEdges {
  TreeOfColors<D> points;
  const std::uint64_t* edge;  // ends_key() of places
  const std::uint32_t* fragment;
  std::uint32_t first;  // component of the first fragment
  Link* links;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t from = clusters::lower_end(edge[k]), to = clusters::upper_end(edge[k]);
    links[k] = link_between(points.weight(from, to), points.ends(from, to), first + fragment[from],
                            first + fragment[to]);
  }
};

struct ColorFragments {
  const std::uint32_t *fragment, *component;
  std::uint32_t* color;
  HALOSCOPE_HD void operator()(std::size_t i) const { color[i] = component[fragment[i]]; }
};
struct ColorPlaces {  // of some points
  const std::uint32_t* places;
  ColorFragments colors;
  HALOSCOPE_HD void operator()(std::size_t k) const { colors(places[k]); }
};
// Most blocks are of one fragment, and their points need not be read.
template <int D>
struct ColorBlocksOfFragments {
  BlockTreeView<D> tree;
  const std::uint32_t *block_fragment, *fragment, *component;
  std::uint32_t* block_color;
  HALOSCOPE_HD void operator()(std::size_t b) const {
    const auto block = std::uint32_t(b);
    if (block_fragment[block] != hierarchy::kNone) {
      block_color[block] = component[block_fragment[block]];
      return;
    }
    const std::uint32_t first = component[fragment[block * kFan]];
    bool one = true;
    for (std::uint32_t i = block * kFan + 1, end = tree.end_of(block); i < end; ++i)
      one = one && component[fragment[i]] == first;
    block_color[block] = one ? first : hierarchy::kNone;
  }
};

// What points know of other ranks: a link to one of them, or a way that is as long at least.
struct PointLinks {
  std::uint64_t *way, *ends;  // of a link the weight, and its rows
  std::uint32_t* to;          // its component there
  std::uint8_t* linked;
};

// Points that may have a part in a round. An edge to another rank that is no heavier than the
// limit of a component has ends whose ways are no longer.
struct IsNear {
  PointLinks points;
  std::uint64_t bound;  // the largest limit
  HALOSCOPE_HD bool operator()(std::uint32_t i) const {
    return points.linked[i] || points.way[i] <= bound;
  }
};

// Either links that stand in a list, or those of points; without an edge there is none.
struct ListedLinks {
  const Link* links;
  HALOSCOPE_HD Link operator()(std::size_t k) const {
    return links[k].leaves() ? links[k] : Link{};
  }
};
struct LinksOfPoints {
  PointLinks points;
  const std::uint32_t *color, *linked;  // of the places that have one
  HALOSCOPE_HD Link operator()(std::size_t k) const {
    const std::uint32_t i = linked[k];
    return link_between(points.way[i], points.ends[i], color[i], points.to[i]);
  }
};

// The first link of each component, in three steps: its weight, its ends, itself. Links of one
// weight and ends are one edge.
struct FirstLinks {
  std::uint64_t *weight, *ends;
  Link* first;
};
template <class Links>
struct LeastWeights {
  Links links;
  FirstLinks of;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Link link = links(k);
    if (!link.leaves()) return;
    atomic_minimum(of.weight + link.first, link.weight);
    atomic_minimum(of.weight + link.second, link.weight);
  }
};
template <class Links>
struct LeastEnds {
  Links links;
  FirstLinks of;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Link link = links(k);
    if (!link.leaves()) return;
    for (const std::uint32_t c : {link.first, link.second})
      if (link.weight == of.weight[c]) atomic_minimum(of.ends + c, link.ends);
  }
};
template <class Links>
struct TakeLinks {
  Links links;
  FirstLinks of;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Link link = links(k);
    if (!link.leaves()) return;
    for (const std::uint32_t c : {link.first, link.second})
      if (link.weight == of.weight[c] && link.ends == of.ends[c]) of.first[c] = link;
  }
};
struct ForgetFirst {
  FirstLinks of;
  HALOSCOPE_HD void operator()(std::size_t c) const {
    of.weight[c] = kFarAway;
    of.ends[c] = hierarchy::kNoEdge;
    of.first[c] = Link{};
  }
};

// Whether the component offers its link: one that is first at both its ends is offered once.
struct OffersLink {
  const Link* first;
  HALOSCOPE_HD bool operator()(std::uint32_t c) const {
    const Link& own = first[c];
    if (!own.leaves()) return false;
    return own.first == c || first[own.first].ends != own.ends;
  }
};
struct GatherLinks {
  const Link* first;
  const std::uint32_t* components;
  Link* links;
  HALOSCOPE_HD void operator()(std::size_t k) const { links[k] = first[components[k]]; }
};

struct LimitsOfLinks {
  const Link* first;
  std::uint64_t* limit;
  HALOSCOPE_HD void operator()(std::size_t c) const { limit[c] = first[c].weight; }
};

// Of points whose way is no longer than the limit of their component, and that have no link.
struct IsNeedyPoint {
  PointLinks points;
  const std::uint32_t* color;
  const std::uint64_t* limit;  // of each component
  HALOSCOPE_HD bool operator()(std::uint32_t i) const {
    return !points.linked[i] && points.way[i] <= limit[color[i]];
  }
};
struct LimitsOfPlaces {
  const std::uint32_t *places, *color;
  const std::uint64_t* limit;
  std::uint64_t* limits;
  HALOSCOPE_HD void operator()(std::size_t k) const { limits[k] = limit[color[places[k]]]; }
};

// The shortest way of each component that knows no limit, and its first point with it.
struct ShortestWays {
  const std::uint64_t *way, *limit;
  const std::uint32_t* color;
  std::uint64_t* shortest;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t own = color[i];
    if (limit[own] == kFarAway) atomic_minimum(shortest + own, way[i]);
  }
};
struct FirstOfShortest {
  const std::uint64_t *way, *limit, *shortest;
  const std::uint32_t* color;
  std::uint32_t* seed;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t own = color[i];
    if (limit[own] == kFarAway && way[i] == shortest[own])
      atomic_minimum(seed + own, std::uint32_t(i));
  }
};
struct HasSeed {
  const std::uint32_t* seed;
  HALOSCOPE_HD bool operator()(std::uint32_t c) const { return seed[c] != hierarchy::kNone; }
};
struct PlaceOfSeed {
  const std::uint32_t *seed, *components;
  std::uint32_t* places;
  HALOSCOPE_HD void operator()(std::size_t k) const { places[k] = seed[components[k]]; }
};

// What ranks have answered to a point that asks: the first edge, and the least weight that others
// may have.
struct Answers {
  EdgeToPart best;
  std::uint64_t bound;
};
struct NoAnswers {
  const std::uint64_t* limits;
  Answers* answers;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    answers[k] = {EdgeToPart{}, just_above(limits[k])};
  }
};
struct TakeAnswers {  // of one rank
  const std::uint32_t* from;
  const EdgeToPart* heard;
  Answers* answers;
  HALOSCOPE_HD void operator()(std::size_t q) const {
    const EdgeToPart edge = heard[q];
    Answers& of = answers[from[q]];
    if (edge.to != hierarchy::kNone) {
      if (edge.is_before(of.best)) of.best = edge;
    } else if (edge.weight < of.bound) {
      of.bound = edge.weight;
    }
  }
};
// A point that asked without a limit and met nobody stays as it was.
struct KeepAnswers {
  const std::uint32_t* places;
  const Answers* answers;
  PointLinks points;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t i = places[k];
    const EdgeToPart& best = answers[k].best;
    if (best.to != hierarchy::kNone && best.weight < answers[k].bound) {
      points.way[i] = best.weight;
      points.ends[i] = best.ends;
      points.to[i] = best.to;
      points.linked[i] = 1;
    } else if (answers[k].bound != kFarAway) {
      points.way[i] = answers[k].bound;
    }
  }
};

// Where each component goes; it brings its edge, but of two that take one the first stays.
struct JoinByLinks {
  const Link* first;
  std::uint32_t* up;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto c = std::uint32_t(k);
    up[c] = c;
    if (!first[c].leaves()) return;
    const std::uint32_t other = first[c].other(c);
    if (first[other].ends != first[c].ends || c > other) up[c] = other;
  }
};
struct BringsEdgeOfShare {
  const std::uint32_t* up;
  std::uint32_t begin;  // of this rank's share of the components
  HALOSCOPE_HD bool operator()(std::uint32_t c) const { return up[begin + c] != begin + c; }
};
struct EdgesOfShare {
  const Link* first;
  const std::uint32_t* components;
  std::uint32_t begin;
  TreeEdge* edges;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const Link& link = first[begin + components[k]];
    edges[k] = {link.weight, link.ends};
  }
};

struct RenameLinks {
  const std::uint32_t *up, *number;
  Link* links;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    Link& link = links[k];
    link = link_between(link.weight, link.ends, number[up[link.first]], number[up[link.second]]);
  }
};
// A link whose ends are of one component now is forgotten; the way is as long still.
struct RenamePointLinks {
  const std::uint32_t *places, *up, *number, *color;
  PointLinks points;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t i = places[k];
    if (!points.linked[i]) return;
    points.to[i] = number[up[points.to[i]]];
    if (points.to[i] == number[up[color[i]]]) points.linked[i] = 0;
  }
};

}  // namespace haloscope::compute::distributed
