#pragma once

#include "compute/spatial/block_tree.inl"

#include <cmath>
#include <cstdint>

// Lists of the nearest neighbors of all points, for either executor.
namespace haloscope::compute::clusters {

using spatial::BlockTreeView;

inline constexpr std::uint64_t kFarAway = ~std::uint64_t(0);

// The k nearest met so far with their places, ascending, in a thread's own memory.
template <int Capacity>
class NearestPairs {
 public:
  HALOSCOPE_HD explicit NearestPairs(int k) : k_(k) {
    for (int i = 0; i < k; ++i) squared_[i] = kFarAway;
  }
  HALOSCOPE_HD std::uint64_t farthest() const { return squared_[k_ - 1]; }
  HALOSCOPE_HD void insert(std::uint64_t squared, std::uint32_t place) {
    int at = k_ - 1;
    for (; at > 0 && squared_[at - 1] > squared; --at) {
      squared_[at] = squared_[at - 1];
      place_[at] = place_[at - 1];
    }
    squared_[at] = squared;
    place_[at] = place;
  }
  HALOSCOPE_HD std::uint32_t place(int i) const { return place_[i]; }
  HALOSCOPE_HD std::uint64_t squared(int i) const { return squared_[i]; }

 private:
  int k_;
  std::uint64_t squared_[Capacity];
  std::uint32_t place_[Capacity];
};

// The largest float32 that is no larger.
HALOSCOPE_HD inline float rounded_down(std::uint64_t squared) {
#if defined(__CUDA_ARCH__)
  return __ull2float_rd(squared);
#else
  const float nearest = float(squared);
  // 2⁶⁴ fits into no word.
  const bool is_above = nearest >= 0x1p64f || std::uint64_t(nearest) > squared;
  return is_above ? std::nextafter(nearest, 0.f) : nearest;
#endif
}

// The k nearest other points of point i.
template <int Capacity, int D>
HALOSCOPE_HD NearestPairs<Capacity> nearest_pairs(const BlockTreeView<D>& tree, std::uint32_t i,
                                                  int k) {
  const spatial::LatticePoint<D> point = tree.points[i];
  NearestPairs<Capacity> list(k);
  const auto see = [&](std::uint32_t j) {
    if (j == i) return;
    const std::uint64_t squared = squared_between(point, tree.points[j]);
    if (squared < list.farthest()) list.insert(squared, j);
  };
  const std::uint32_t own = i / spatial::kFan;
  for (std::uint32_t j = own * spatial::kFan, end = tree.end_of(own); j < end; ++j) see(j);
  const auto wanted = [&](std::uint32_t box) {
    return squared_between(point, tree.boxes[box]) < list.farthest();
  };
  for_points_around(tree, own, wanted, see);
  return list;
}

// Neighbor i of point p stands at i · count + p, those of one point by distance, rounded down to
// float32. An executor may choose them by distances that are not exact: nothing_below() says what
// its lists promise.
struct NeighborLists {
  int k;  // of each point, fewer than there are points
  std::uint32_t* place;
};

// What a point's list leaves out is no nearer than this, as squared distances, where the last in
// the list is so far.
HALOSCOPE_HD inline std::uint64_t nothing_below(std::uint64_t squared_of_last) {
  return squared_of_last - (squared_of_last >> 10);
}

template <int D, int Capacity>
struct ListNearest {
  BlockTreeView<D> tree;
  NeighborLists lists;
  HALOSCOPE_HD void operator()(std::size_t p) const {
    const auto i = std::uint32_t(p);
    const NearestPairs<Capacity> list = nearest_pairs<Capacity>(tree, i, lists.k);
    for (int n = 0; n < lists.k; ++n) lists.place[std::size_t(n) * tree.count + i] = list.place(n);
  }
};

// Of all points. Both executors have their own for up to 16 neighbors.
template <int D, class Exec>
void list_nearest(Exec& exec, const BlockTreeView<D>& tree, const NeighborLists& lists) {
  parallel_for(exec, "nearest neighbors", tree.count, ListNearest<D, 80>{tree, lists});
}

}  // namespace haloscope::compute::clusters
