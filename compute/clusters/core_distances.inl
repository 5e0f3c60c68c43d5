#pragma once

#include "compute/clusters/nearest_lists.inl"
#include "compute/clusters/spanning_tree.h"
#include "core/host_device.h"

#include <cstddef>
#include <cstdint>

// Core distances from lists of nearest neighbors.
namespace haloscope::compute::clusters {

// Distances to the `rank`-th nearest other point, exact though lists may not be.
template <int D>
struct CoreFromLists {
  BlockTreeView<D> tree;
  const std::uint32_t* neighbors;
  int k, rank;
  std::uint64_t* core;

  HALOSCOPE_HD std::uint64_t squared(std::uint32_t i, int n) const {
    return squared_between(tree.points[i], tree.points[neighbors[std::size_t(n) * tree.count + i]]);
  }
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const float rounded = rounded_down(squared(i, rank - 1));
    int begin = rank - 1, end = rank;
    while (begin > 0 && rounded_down(squared(i, begin - 1)) == rounded) --begin;
    while (end < k && rounded_down(squared(i, end)) == rounded) ++end;
    // Of those that round alike the one of that rank.
    std::uint64_t found = 0;
    for (int n = begin; n < end; ++n) {
      const std::uint64_t own = squared(i, n);
      int before = begin;
      for (int m = begin; m < end; ++m) {
        const std::uint64_t other = squared(i, m);
        before += other < own || (other == own && m < n);
      }
      if (before == rank - 1) found = own;
    }
    const bool is_whole = std::uint32_t(k) + 1 == tree.count;
    // Else the list may leave out some that are nearer.
    const bool is_sure = is_whole || found <= nothing_below(squared(i, k - 1));
    core[i] = is_sure ? found
                      : nearest_pairs<SpanningTreeSettings::kMostSamples>(tree, i, rank).farthest();
  }
};

template <int D>
struct CoreByRow {
  BlockTreeView<D> tree;
  const std::uint64_t* core;
  std::uint64_t* by_row;
  HALOSCOPE_HD void operator()(std::size_t i) const { by_row[tree.points[i].row] = core[i]; }
};

template <int D>
struct CoreOfRows {
  BlockTreeView<D> tree;
  const std::uint64_t* by_row;
  std::uint64_t* core;
  HALOSCOPE_HD void operator()(std::size_t i) const { core[i] = by_row[tree.points[i].row]; }
};

}  // namespace haloscope::compute::clusters
