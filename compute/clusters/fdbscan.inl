#pragma once

#include "compute/clusters/dbscan_steps.inl"
#include "compute/spatial/lbvh.inl"

// FDBSCAN: DBSCAN fused into the traversals of a tree over all points (Prokopenko et al. 2023,
// §4.3.3 of the ArborX paper of 2024): neighbors are counted until there are enough, and pairs
// joined as they are met, each once. Weakness: every pair within the linking length is looked at,
// so that long lengths cost the square of the number of points.
namespace haloscope::compute::clusters {

struct TreeIndex {
  spatial::LbvhView<spatial::CellPoint> tree;
  spatial::CellReach reach;
  const spatial::CellPoint* points;

  HALOSCOPE_HD std::uint32_t together(std::uint32_t) const { return 1; }
  template <class F>
  HALOSCOPE_HD void for_candidates(std::uint32_t i, const F& f) const {
    const spatial::CellPoint p = points[i];
    spatial::walk(
        tree, tree.root(),
        [&](const spatial::BvhNode& node) {
          return spatial::squared_distance_to_box(p, node) <= reach.squared;
        },
        f);
  }
};

struct LinkPoints {
  TreeIndex index;
  UnionFind sets;            // of points
  const std::uint8_t* core;  // null: all points are
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto i = std::uint32_t(k);
    if (core && !core[i]) return;
    std::uint32_t root = atomic_load(sets.parent + i);
    spatial::for_near(index.tree, index.tree.after(i), index.points[i], index.reach.squared,
                      [&](std::uint32_t j) {
                        if ((!core || core[j]) && atomic_load(sets.parent + j) != root)
                          root = sets.unite(root, j);
                        return true;
                      });
  }
};

template <class Exec>
class FdbscanSearch {
 public:
  // `reach` in lattice steps. Throws Error for more points than one tree can hold.
  FdbscanSearch(Exec& exec, spatial::PlacedPoints<Exec>& from, double reach,
                std::uint32_t /*min_points*/, Phases<Exec>& phases)
      : reach_(spatial::make_cell_reach(reach)),
        points_(spatial::make_point_tree(exec, from.view(),
                                         [&](const char* phase) { phases.begin(phase); })) {
    from.free();
  }

  TreeIndex index() const { return {points_.view(), reach_, points_.points.data()}; }
  Members members() const { return {index_of(points_.points), nullptr}; }
  std::uint32_t* room_for_borders() { return nullptr; }
  std::uint32_t sets_count() const { return points_.tree.count; }
  Buffer<spatial::CellPoint, Exec> take_points() { return std::move(points_.points); }
  void forget_index() {
    points_.tree.nodes = {};
    points_.tree.right_leaves = {};
  }

  void link(Exec& exec, const UnionFind& sets, const std::uint8_t* core) const {
    parallel_for(exec, "linking", sets_count(), LinkPoints{index(), sets, core});
  }

 private:
  spatial::CellReach reach_;
  spatial::PointTree<Exec> points_;
};

}  // namespace haloscope::compute::clusters
