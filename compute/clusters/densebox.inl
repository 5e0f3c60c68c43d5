#pragma once

#include "compute/clusters/dbscan_steps.inl"
#include "compute/spatial/lbvh.inl"

// FDBSCAN-DenseBox (Prokopenko et al. 2023; §4.3.4 of the ArborX paper of 2024): cells of side
// ε/√3 that hold minPts points are sets of core points from the beginning, and one leaf each of the
// tree; the other leaves are single points.
namespace haloscope::compute::clusters {

// A leaf: the points first … end − 1 of one dense cell, or one point.
struct alignas(32) DenseBox {
  std::uint32_t low[3], high[3];  // of the cell, or the point
  std::uint32_t first, end;
};

HALOSCOPE_HD inline spatial::BvhBox box_of(const DenseBox& box) {
  return {{box.low[0], box.low[1], box.low[2]}, {box.high[0], box.high[1], box.high[2]}};
}

// Cells small enough that all their points are within reach of one another. Their Morton codes are
// the order of the tree, so that a cell's points are side by side.
struct DenseCells {
  static constexpr std::uint64_t kMostPerSide = 1 << 21;  // what a Morton code tells apart

  std::uint64_t side;  // cells per side of the domain; 0: they would be too small

  HALOSCOPE_HD std::uint32_t cell(std::uint32_t v) const { return std::uint32_t((v * side) >> 32); }
  // The lattice steps that are in the cell of v.
  HALOSCOPE_HD void span(std::uint32_t v, std::uint32_t& low, std::uint32_t& high) const {
    const std::uint64_t c = cell(v);
    low = std::uint32_t(((c << 32) + side - 1) / side);
    high = std::uint32_t((((c + 1) << 32) + side - 1) / side - 1);
  }
};

// For a distance `reach` in lattice steps.
inline DenseCells make_dense_cells(double reach) {
  DenseCells cells{0};
  if (!(reach > 4)) return cells;
  const double side = std::ceil(4294967296.0 * std::sqrt(3.0) / (reach - 2));
  if (side <= double(DenseCells::kMostPerSide)) cells.side = std::uint64_t(side);
  return cells;
}

struct MakeDenseKey {
  DenseCells cells;
  spatial::Positions position;
  std::uint64_t* key;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    constexpr int kShift = 11;  // a Morton code takes the upper 21 bits
    const spatial::FixedPoint p = position.at(i);
    key[i] = cells.side == 0
                 ? spatial::morton_code(p.x, p.y, p.z)
                 : spatial::morton_code(cells.cell(p.x) << kShift, cells.cell(p.y) << kShift,
                                        cells.cell(p.z) << kShift);
  }
};

// Which points, in the order of their keys, begin a leaf.
struct LeafStarts {
  DenseCells cells;
  const std::uint64_t* key;
  std::uint32_t count, min_points;

  // Whether at least min_points points have the key of point i.
  HALOSCOPE_HD bool dense(std::uint32_t i) const {
    if (cells.side == 0) return false;
    // The first of them, or one that has min_points − 1 of them before point i.
    const std::uint32_t before = min_points - 1;
    std::uint32_t first = i > before ? i - before : 0, last = i;
    while (first < last) {
      const std::uint32_t middle = first + (last - first) / 2;
      if (key[middle] < key[i])
        first = middle + 1;
      else
        last = middle;
    }
    return count - first > before && key[first + before] == key[i];
  }
  HALOSCOPE_HD bool operator()(std::uint32_t i) const {
    return i == 0 || key[i - 1] != key[i] || !dense(i);
  }
};

struct MarkLeafStarts {
  LeafStarts starts;
  std::uint32_t* leaf_of;
  HALOSCOPE_HD void operator()(std::size_t i) const { leaf_of[i] = starts(std::uint32_t(i)); }
};

struct DescribeLeaves {
  LeafStarts starts;
  const spatial::CellPoint* points;
  std::uint32_t* leaf_of;  // in: the number of leaves begun up to here; out: the leaf
  DenseBox* leaves;
  std::uint64_t* leaf_key;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto i = std::uint32_t(k);
    const std::uint32_t leaf = --leaf_of[i];
    DenseBox& box = leaves[leaf];
    if (i + 1 == starts.count || starts(i + 1)) box.end = i + 1;
    if (!starts(i)) return;
    box.first = i;
    leaf_key[leaf] = starts.key[i];
    const spatial::CellPoint p = points[i];
    const std::uint32_t at[3] = {p.x, p.y, p.z};
    const bool dense = starts.dense(i);
    for (int a = 0; a < 3; ++a)
      if (dense)
        starts.cells.span(at[a], box.low[a], box.high[a]);
      else
        box.low[a] = box.high[a] = at[a];
  }
};

struct DenseIndex {
  spatial::LbvhView<DenseBox> tree;
  spatial::CellReach reach;
  const spatial::CellPoint* points;
  const std::uint32_t* leaf_of;

  HALOSCOPE_HD std::uint32_t together(std::uint32_t i) const {
    const DenseBox& box = tree.leaves[leaf_of[i]];
    return box.end - box.first;
  }

  // Calls f(leaf, its box) for the leaves from node `from` on that may hold points near p.
  template <class F>
  HALOSCOPE_HD void for_leaves(spatial::NodeRef from, const spatial::CellPoint& p,
                               const F& f) const {
    spatial::walk(
        tree, from,
        [&](const spatial::BvhNode& node) {
          return spatial::squared_distance_to_box(p, node) <= reach.squared;
        },
        [&](std::uint32_t leaf) {
          const DenseBox box = tree.leaves[leaf];
          return spatial::squared_distance_to_box(p, box) > reach.squared || f(leaf, box);
        });
  }
  template <class F>
  HALOSCOPE_HD void for_candidates(std::uint32_t i, const F& f) const {
    for_leaves(tree.root(), points[i], [&](std::uint32_t, const DenseBox& box) {
      for (std::uint32_t j = box.first; j < box.end; ++j)
        if (!f(j)) return false;
      return true;
    });
  }
};

// Links the leaf of each point with those after it, each until one pair of points is near.
struct LinkDenseBoxes {
  DenseIndex index;
  UnionFind sets;            // of leaves
  const std::uint8_t* core;  // null: all points are
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto i = std::uint32_t(k);
    if (core && !core[i]) return;
    const spatial::CellPoint p = index.points[i];
    const std::uint32_t own = index.leaf_of[i];
    std::uint32_t root = atomic_load(sets.parent + own);
    index.for_leaves(index.tree.after(own), p, [&](std::uint32_t leaf, const DenseBox& box) {
      if (!joined(root, leaf) && any_near(p, box)) root = sets.unite(root, leaf);
      return true;
    });
  }

  // Asked first: a dense cell that lies just too far would be looked through by every point.
  HALOSCOPE_HD bool joined(std::uint32_t& root, std::uint32_t leaf) const {
    if (atomic_load(sets.parent + leaf) == root) return true;
    root = sets.find(root);
    return sets.find(leaf) == root;
  }

  HALOSCOPE_HD bool any_near(const spatial::CellPoint& p, const DenseBox& box) const {
    for (std::uint32_t j = box.first; j < box.end; ++j)
      if ((!core || core[j]) && index.reach.near(p, index.points[j])) return true;
    return false;
  }
};

template <class Exec>
class DenseBoxSearch {
 public:
  // `reach` in lattice steps. Throws Error for more leaves than one tree can hold.
  DenseBoxSearch(Exec& exec, spatial::PlacedPoints<Exec>& from, double reach,
                 std::uint32_t min_points, Phases<Exec>& phases)
      : reach_(spatial::make_cell_reach(reach)) {
    phases.begin("keys");
    const std::uint32_t count = from.count();
    const DenseCells cells = make_dense_cells(reach);
    Buffer<std::uint64_t, Exec> keys(exec, count, "cell keys");
    parallel_for(exec, "cell keys", count, MakeDenseKey{cells, from.view().position, keys.data()});
    points_ = spatial::sort_points(exec, from.view(), keys,
                                   [&](const char* phase) { phases.begin(phase); });
    from.free();
    build(exec, {cells, keys.data(), count, min_points});
  }

  DenseIndex index() const {
    return {tree_.view(leaves_.data()), reach_, points_.data(), leaf_of_.data()};
  }
  Members members() const { return {index_of(points_), leaf_of_.data()}; }
  std::uint32_t* room_for_borders() { return leaf_of_.data(); }
  std::uint32_t sets_count() const { return tree_.count; }
  Buffer<spatial::CellPoint, Exec> take_points() { return std::move(points_); }
  void forget_index() {
    tree_.nodes = {};
    tree_.right_leaves = {};
    leaves_ = {};
  }

  void link(Exec& exec, const UnionFind& sets, const std::uint8_t* core) const {
    parallel_for(exec, "linking", points_.size(), LinkDenseBoxes{index(), sets, core});
  }

 private:
  void build(Exec& exec, const LeafStarts& starts) {
    const std::uint32_t count = starts.count;
    leaf_of_ = Buffer<std::uint32_t, Exec>(exec, count, "dense boxes");
    parallel_for(exec, "dense boxes", count, MarkLeafStarts{starts, leaf_of_.data()});
    thrust::inclusive_scan(exec.policy(), leaf_of_.begin(), leaf_of_.end(), leaf_of_.begin());
    std::uint32_t leaves = 0;
    exec.download(&leaves, leaf_of_.data() + count - 1, sizeof(leaves));
    leaves_ = Buffer<DenseBox, Exec>(exec, leaves, "dense boxes");
    Buffer<std::uint64_t, Exec> leaf_keys(exec, leaves, "dense boxes");
    parallel_for(
        exec, "dense boxes", count,
        DescribeLeaves{starts, points_.data(), leaf_of_.data(), leaves_.data(), leaf_keys.data()});
    tree_ = spatial::build_lbvh(exec, leaves_.data(), leaf_keys.data(), leaves);
  }

  spatial::CellReach reach_;
  Buffer<spatial::CellPoint, Exec> points_;  // by cell
  Buffer<std::uint32_t, Exec> leaf_of_;      // of each point
  Buffer<DenseBox, Exec> leaves_;
  spatial::Lbvh<Exec> tree_;
};

}  // namespace haloscope::compute::clusters
