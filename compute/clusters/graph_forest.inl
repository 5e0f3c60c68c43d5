#pragma once

#include "compute/clusters/foreign_neighbors.inl"
#include "compute/clusters/join_components.inl"
#include "compute/hierarchy/spanning_forest.inl"
#include "core/host_device.h"

#include <thrust/scan.h>

#include <cstddef>
#include <cstdint>

// Where a spanning tree begins for cuSLINK (Nolet et al. 2023): with the minimum spanning forest of
// the graph of each point's k nearest neighbors.
namespace haloscope::compute::clusters {

// As list_nearest(), but of points equally far those of smaller rows: the graph depends on nothing
// but the points.
template <int D, int Capacity>
struct ListNearestByRow {
  BlockTreeView<D> tree;
  NeighborLists lists;

  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const LatticePoint<D> point = tree.points[i];
    std::uint64_t squared[Capacity] = {};
    std::uint32_t place[Capacity] = {};
    int known = 0;
    const auto farthest = [&] { return known < lists.k ? kFarAway : squared[lists.k - 1]; };
    const auto see = [&](std::uint32_t j) {
      if (j == i) return;
      const std::uint64_t far = squared_between(point, tree.points[j]);
      if (far > farthest()) return;
      const std::uint32_t row = tree.points[j].row;
      const auto is_behind = [&](int n) {
        return squared[n] > far || (squared[n] == far && tree.points[place[n]].row > row);
      };
      if (known == lists.k && !is_behind(known - 1)) return;
      int at = known < lists.k ? known++ : known - 1;
      for (; at > 0 && is_behind(at - 1); --at) {
        squared[at] = squared[at - 1];
        place[at] = place[at - 1];
      }
      squared[at] = far;
      place[at] = j;
    };
    const std::uint32_t own = i / kFan;
    for (std::uint32_t j = own * kFan, end = tree.end_of(own); j < end; ++j) see(j);
    for_points_around(
        tree, own,
        [&](std::uint32_t box) { return squared_between(point, tree.boxes[box]) <= farthest(); },
        see);
    for (int n = 0; n < lists.k; ++n) lists.place[std::size_t(n) * tree.count + i] = place[n];
  }
};

// The lists as a graph of rows.
template <int D>
struct GraphOfPlaces {
  using Key = std::uint64_t;
  TreeOfColors<D> points;
  NeighborLists lists;
  const std::uint32_t* place;  // of each row

  HALOSCOPE_HD std::uint64_t begin(std::uint32_t row) const {
    return std::uint64_t(row) * std::uint32_t(lists.k);
  }
  HALOSCOPE_HD std::uint64_t end(std::uint32_t row) const {
    return begin(row) + std::uint32_t(lists.k);
  }
  HALOSCOPE_HD std::uint32_t listed(std::uint64_t e) const {
    const std::uint64_t k = std::uint32_t(lists.k);
    return lists.place[e % k * points.tree.count + place[e / k]];
  }
  HALOSCOPE_HD std::uint32_t neighbor(std::uint64_t e) const {
    return points.tree.points[listed(e)].row;
  }
  HALOSCOPE_HD Key key(std::uint32_t row, std::uint64_t e) const {
    return points.weight(place[row], listed(e));
  }
};

template <int D>
struct PlaceOfRows {
  BlockTreeView<D> tree;
  std::uint32_t* place;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    place[tree.points[i].row] = std::uint32_t(i);
  }
};

struct PlacesOfEnds {
  const std::uint64_t* ends;
  const std::uint32_t* place;
  std::uint64_t* edge;
  HALOSCOPE_HD void operator()(std::size_t e) const {
    edge[e] = ends_key(place[ends[e] >> 32], place[std::uint32_t(ends[e])]);
  }
};

// Components called by rows become numbers without gaps.
struct MarkOwnColors {
  const std::uint32_t* color;
  std::uint32_t* is_own;
  HALOSCOPE_HD void operator()(std::size_t row) const { is_own[row] = color[row] == row; }
};

template <int D>
struct ColorPlaces {
  BlockTreeView<D> tree;
  const std::uint32_t *color, *number;  // of rows
  std::uint32_t* to;                    // of places
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = number[color[tree.points[i].row]]; }
};

// All that is listed is of the point's own component.
template <int D>
struct KnowNothingListed {
  ListedNeighbors<D> listed;
  PointState state;
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    state.candidate[i] = kNotInList;
    state.bound[i] = listed.outside(i);
  }
};

// Of a forest of places.
struct ForestOfPlaces {
  std::uint64_t* edge;   // ends_key()
  std::uint32_t* color;  // of each place, a number without gaps
};

// Makes the minimum spanning forest of the graph; returns how many edges it has.
template <int D, class Exec>
std::uint32_t make_graph_forest(Exec& exec, const TreeOfColors<D>& points,
                                const NeighborLists& lists, const ForestOfPlaces& made) {
  const std::uint32_t count = points.tree.count;
  Buffer<std::uint32_t, Exec> place(exec, count, "graph"), number(exec, count, "graph");
  parallel_for(exec, "rows", count, PlaceOfRows<D>{points.tree, place.data()});
  hierarchy::ForestGrower<Exec, std::uint64_t> grower(exec, count);
  grower.grow(GraphOfPlaces<D>{points, lists, place.data()});
  parallel_for(exec, "edges", grower.edges(), PlacesOfEnds{grower.ends(), place.data(), made.edge});
  parallel_for(exec, "components", count, MarkOwnColors{grower.color(), number.data()});
  thrust::exclusive_scan(exec.policy(), number.begin(), number.end(), number.begin());
  parallel_for(exec, "colors", count,
               ColorPlaces<D>{points.tree, grower.color(), number.data(), made.color});
  exec.synchronize();
  return grower.edges();
}

}  // namespace haloscope::compute::clusters
