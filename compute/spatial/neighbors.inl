#pragma once

#include "compute/exec/phases.h"
#include "compute/spatial/lbvh.inl"
#include "compute/spatial/nearest_list.h"
#include "compute/spatial/neighbors.h"
#include "compute/spatial/placed_points.inl"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

// Nearest neighbors by the LBVH, for either executor. Ropes leave no choice of which child to see
// first, so a search is as good as the distance that it begins with: that is taken from leaves
// known to lie near.
namespace haloscope::compute::spatial {

// Goes down to the leaf whose boxes, of two each time, are the nearer ones. Not always the nearest
// leaf, but mostly a near one.
template <class Point>
HALOSCOPE_HD std::uint32_t near_leaf(const LbvhView<CellPoint>& tree, const Point& point) {
  const auto distance = [&](NodeRef at) {
    return at & kLeaf ? squared_distance(point, tree.leaves[at & ~kLeaf])
                      : squared_distance_to_box(point, tree.nodes[at]);
  };
  NodeRef at = tree.root();
  while (!(at & kLeaf)) {
    const NodeRef left = tree.nodes[at].left;
    const NodeRef right = left & kLeaf ? tree.after(left & ~kLeaf) : tree.nodes[left].rope;
    at = distance(left) <= distance(right) ? left : right;
  }
  return at & ~kLeaf;
}

// The point nearest to a place, no farther than a distance; of points equally near the one with
// the smallest index.
template <class Point>
HALOSCOPE_HD Nearest nearest(const LbvhView<CellPoint>& tree, const Point& point,
                             std::uint64_t most_squared_distance) {
  Nearest best{kNobodyNear, most_squared_distance};
  if (tree.count == 0) return best;
  const auto see = [&](std::uint32_t leaf) {
    const CellPoint q = tree.leaves[leaf];
    const std::uint64_t squared = squared_distance(point, q);
    if (squared < best.squared || (squared == best.squared && q.index < best.index))
      best = {q.index, squared};
    return true;
  };
  see(near_leaf(tree, point));
  walk(
      tree, tree.root(),
      [&](const BvhNode& node) { return squared_distance_to_box(point, node) <= best.squared; },
      see);
  return best;
}

struct FindNearest {
  LbvhView<CellPoint> tree;
  Positions places;
  std::uint64_t most_squared_distance;
  Nearest* found;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const FixedPoint p = places.at(i);
    found[i] = nearest(tree, CellPoint{p.x, p.y, p.z, 0}, most_squared_distance);
  }
};

// Meets the distances to the k nearest of the other points of leaf i; List is of nearest_list.h.
// The k leaves before and after it in Morton order come first: they are seldom the nearest, but
// bound the rest of the search.
template <class List>
HALOSCOPE_HD List k_nearest(const LbvhView<CellPoint>& tree, std::uint32_t i, int k) {
  const CellPoint p = tree.leaves[i];
  List list(k);
  const auto see = [&](std::uint32_t leaf) {
    const std::uint64_t squared = squared_distance(p, tree.leaves[leaf]);
    if (squared < list.farthest()) list.insert(squared);
    return true;
  };
  const auto window = std::uint32_t(k);
  const std::uint32_t first = i > window ? i - window : 0;
  const std::uint32_t last = tree.count - 1 - i > window ? i + window : tree.count - 1;
  for (std::uint32_t step = 1; step <= window; ++step) {
    if (i >= first + step) see(i - step);
    if (i + step <= last) see(i + step);
  }
  const auto wanted = [&](const BvhNode& node) {
    return squared_distance_to_box(p, node) < list.farthest();
  };
  walk(tree, tree.after(last), wanted, see);
  if (first > 0)
    walk(tree, tree.root(), wanted, [&](std::uint32_t leaf) { return leaf < first && see(leaf); });
  return list;
}

template <class List>
struct FindKth {
  LbvhView<CellPoint> tree;
  int k;
  std::uint32_t first;  // leaf
  float* squared;       // by file order
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const std::uint32_t leaf = first + std::uint32_t(i);
    const std::uint64_t kth = k_nearest<List>(tree, leaf, k).farthest();
    squared[tree.leaves[leaf].index] = kth == kNowhere ? INFINITY : float(kth);
  }
};

// Squared distance, rounded to float32, from each point of the leaves first … first + count − 1 to
// the k-th nearest of all others, in file order, infinite where there are fewer; 1 ≤ k ≤
// Neighbors::kMostNeighbors. An executor may have its own.
template <class Exec>
void find_kth_distances(Exec& exec, const LbvhView<CellPoint>& tree, int k, std::uint32_t first,
                        std::uint32_t count, float* squared) {
  constexpr const char* kName = "nearest neighbors";
  if (k <= 8)
    parallel_for(exec, kName, count, FindKth<SortedNearest<8>>{tree, k, first, squared});
  else if (k <= 32)
    parallel_for(exec, kName, count, FindKth<HeapedNearest<32>>{tree, k, first, squared});
  else
    parallel_for(exec, kName, count, FindKth<HeapedNearest<128>>{tree, k, first, squared});
}

struct LengthOfSquared {
  double step;
  float* squared;  // in; out: length
  HALOSCOPE_HD void operator()(std::size_t i) const {
    squared[i] = float(std::sqrt(double(squared[i])) * step);
  }
};

template <class Exec>
class NeighborsOn : public Neighbors {
 public:
  NeighborsOn() = default;
  explicit NeighborsOn(Device device) : exec_(device) {}

  void set_points(const std::array<const std::uint32_t*, 3>& position, std::uint64_t count,
                  Timings* timings) override {
    points_ = {};
    build(PlacedPoints<Exec>(exec_, position, count), timings);
  }
  void set_points(std::vector<std::shared_ptr<const PointSet>> sets, Timings* timings) override {
    points_ = {};
    build(PlacedPoints<Exec>(exec_, std::move(sets)), timings);
  }

  std::vector<Nearest> nearest(const std::array<const std::uint32_t*, 3>& places,
                               std::uint64_t count,
                               std::uint64_t most_squared_distance) const override {
    const PlacedPoints<Exec> place(exec_, places, count);
    Buffer<Nearest, Exec> found(exec_, count, "nearest points");
    parallel_for(
        exec_, "nearest points", count,
        FindNearest{points_.view(), place.view().position, most_squared_distance, found.data()});
    return copy(found);
  }

  std::vector<float> kth_squared_distance(int k, Timings* timings) const override {
    require_neighbors(k);
    Buffer<float, Exec> squared(exec_, points_.points.size(), "nearest neighbors");
    Timings unasked;
    Phases<Exec> phases(exec_, timings ? *timings : unasked);
    phases.begin("search");
    const auto tree = points_.view();
    find_kth_distances(exec_, tree, k, 0, tree.count, squared.data());
    phases.end();
    return copy(squared);
  }

  Array<float> kth_distance(int k, double step, Progress& progress,
                            std::uint32_t part) const override {
    require_neighbors(k);
    if (part == 0) part = Exec::is_cuda ? 1u << 25 : 1u << 16;
    const auto tree = points_.view();
    Buffer<float, Exec> lengths(exec_, tree.count, "smoothing lengths");
    for (std::uint32_t first = 0; first < tree.count;) {
      progress.report("nearest neighbors", double(first) / double(tree.count));
      const std::uint32_t count = std::min(part, tree.count - first);
      find_kth_distances(exec_, tree, k, first, count, lengths.data());
      exec_.synchronize();
      first += count;
    }
    parallel_for(exec_, "smoothing lengths", tree.count, LengthOfSquared{step, lengths.data()});
    Array<float> host(tree.count);
    if (tree.count) exec_.download(host.data(), lengths.data(), tree.count * sizeof(float));
    return host;
  }

  bool on_gpu() const override { return Exec::is_cuda; }

  bool can_hold(std::uint64_t count) const override {
    if (count > kMostLeaves) return false;
    if constexpr (Exec::is_cuda)
      return count * kBytesPerPoint <= exec_.free_memory();
    else
      return has_host_memory(count * kBytesPerPoint);
  }

  TreeCopy tree() const override {
    TreeCopy out{copy(points_.tree.nodes), copy(points_.tree.right_leaves), {}};
    for (const CellPoint& p : copy(points_.points)) out.order.push_back(p.index);
    return out;
  }

 private:
  static void require_neighbors(int k) {
    if (k < 1 || k > kMostNeighbors)
      throw Error("between 1 and " + std::to_string(kMostNeighbors) +
                      " nearest neighbors can be asked for, not " + std::to_string(k),
                  "neighbor search");
  }

  void build(const PlacedPoints<Exec>& placed, Timings* timings) {
    Timings unasked;
    Phases<Exec> phases(exec_, timings ? *timings : unasked);
    points_ =
        make_point_tree(exec_, placed.view(), [&](const char* phase) { phases.begin(phase); });
    phases.end();
  }

  template <class T>
  std::vector<T> copy(const Buffer<T, Exec>& from) const {
    std::vector<T> to(from.size());
    if (!from.empty()) exec_.download(to.data(), from.data(), from.size() * sizeof(T));
    return to;
  }

  mutable Exec exec_;
  PointTree<Exec> points_;
};

}  // namespace haloscope::compute::spatial
