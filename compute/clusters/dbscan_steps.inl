#pragma once

#include "compute/clusters/clustering.h"
#include "compute/clusters/union_find.h"
#include "compute/exec/phases.h"
#include "compute/spatial/cell_grid.inl"
#include "compute/spatial/placed_points.inl"

// What all searches for clusters have in common. A search (grid, tree, dense boxes) keeps the
// points in an order of its own, and joins sets: single points or whole cells. Its Index has
//   reach                  what is near
//   points                 in the search's order
//   together(i)            how many points are known to be near point i without a look, itself
//                          included
//   for_candidates(i, f)   calls f(j) for every point j that may be near point i, itself included;
//                          f returns false to stop
// What says of each point which set it is in may be overwritten, for points that are in none, by
// FindBorders (room_for_borders(); null where there is nothing of the kind).
namespace haloscope::compute::clusters {

// The index in the file of each point, also where nothing else of the points is kept.
struct FileIndex {
  const std::uint32_t* first;
  std::uint32_t stride;  // words from one to the next

  HALOSCOPE_HD std::uint32_t operator()(std::size_t i) const { return first[i * stride]; }
};

template <class Exec>
FileIndex index_of(const Buffer<spatial::CellPoint, Exec>& points) {
  constexpr std::uint32_t kWords = sizeof(spatial::CellPoint) / sizeof(std::uint32_t);
  return {points.empty() ? nullptr : &points.data()->index, kWords};
}

struct CopyIndices {
  FileIndex from;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = from(i); }
};

// Which set a point was put in before any were joined.
struct Members {
  FileIndex index;
  const std::uint32_t* set_of;  // null: each point is its own

  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t i) const { return set_of ? set_of[i] : i; }
};

struct OwnSets {
  std::uint32_t* parent;
  HALOSCOPE_HD void operator()(std::size_t i) const { parent[i] = std::uint32_t(i); }
};

struct NoNames {
  std::uint32_t* smallest;
  HALOSCOPE_HD void operator()(std::size_t i) const { smallest[i] = kNoise; }
};

template <class Index>
struct FindCores {
  Index index;
  std::uint32_t min_points;
  std::uint8_t* core;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto i = std::uint32_t(k);
    std::uint32_t found = index.together(i);
    if (found < min_points) {
      const spatial::CellPoint p = index.points[i];
      found = 0;
      index.for_candidates(i, [&](std::uint32_t j) {
        found += index.reach.near(p, index.points[j]);
        return found < min_points;
      });
    }
    core[i] = found >= min_points;
  }
};

// In file order.
struct TellCores {
  FileIndex index;
  const std::uint8_t* core;
  std::uint8_t* told;
  HALOSCOPE_HD void operator()(std::size_t i) const { told[index(i)] = core[i]; }
};

// For points that are not core: the core neighbor with the smallest index in file order, or the
// point itself where it has none.
template <class Index>
struct FindBorders {
  Index index;
  const std::uint8_t* core;
  std::uint32_t* border_of;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto i = std::uint32_t(k);
    if (core[i]) return;
    const spatial::CellPoint p = index.points[i];
    std::uint32_t best = i, smallest = ~0u;
    index.for_candidates(i, [&](std::uint32_t j) {
      if (core[j]) {
        const spatial::CellPoint q = index.points[j];
        if (q.index < smallest && index.reach.near(p, q)) {
          smallest = q.index;
          best = j;
        }
      }
      return true;
    });
    // The grid reads this word of this point alone, and has done so.
    border_of[i] = best;
  }
};

// Smallest file index of each set, and whether it has more than one point.
struct NameSets {
  Members members;
  UnionFind sets;
  const std::uint8_t* core;  // null: all points are
  std::uint32_t* smallest;   // by root; kNoise at first
  std::uint8_t* shared;      // by root; 0 at first
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto i = std::uint32_t(k);
    if (core && !core[i]) return;
    const std::uint32_t set = members(i), root = sets.find(set);
    atomic_minimum(smallest + root, members.index(i));
    // The points of a set are one after the other.
    if (!core && (root != set || (i > 0 && members(i - 1) == set))) atomic_store(shared + root, 1);
  }
};

struct WriteLabels {
  Members members;
  UnionFind sets;
  const std::uint8_t* core;
  const std::uint32_t* border_of;
  const std::uint32_t* smallest;
  const std::uint8_t* shared;
  std::uint32_t* labels;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    auto i = std::uint32_t(k);
    std::uint32_t label = kNoise;
    if (core) {
      if (!core[i]) i = border_of[i];
      if (core[i]) label = smallest[sets.find(members(i))];
    } else {
      const std::uint32_t root = sets.find(members(i));
      if (shared[root]) label = smallest[root];
    }
    labels[members.index(k)] = label;
  }
};

}  // namespace haloscope::compute::clusters
