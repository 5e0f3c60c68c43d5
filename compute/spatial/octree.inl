#pragma once

#include "compute/exec/phases.h"
#include "compute/exec/sort.h"
#include "compute/spatial/morton_order.inl"
#include "compute/spatial/octree_morton.inl"
#include "compute/spatial/octree_number.inl"
#include "compute/spatial/octree_scattered.inl"
#include "compute/spatial/octree_sums.inl"
#include "compute/spatial/placed_points.inl"
#include "core/error.h"

#include <thrust/sequence.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Building octrees, for either executor.
namespace haloscope::compute::spatial {

template <class Exec>
class OctreeOn : public Octree {
 public:
  OctreeOn(std::shared_ptr<Exec> exec, OctreeStore<Exec> store, const OctreeCounts& counts)
      : exec_(std::move(exec)), store_(std::move(store)), counts_(counts) {}

  Device device() const override { return exec_->device(); }
  OctreeView view() const override { return store_.view(); }
  OctreeCounts counts() const override { return counts_; }
  OctreeCopy copy() const override {
    Exec exec(device());
    OctreeCopy c;
    c.order = download(exec, store_.order);
    c.node_begin = download(exec, store_.node_begin);
    c.node_count = download(exec, store_.node_count);
    c.leaf_begin = download(exec, store_.leaf_begin);
    c.nodes = download(exec, store_.nodes);
    c.node_sums = download(exec, store_.node_sums);
    c.leaf_sums = download(exec, store_.leaf_sums);
    c.level_begin.assign(store_.level_begin, store_.level_begin + store_.levels + 1);
    return c;
  }

 private:
  std::shared_ptr<Exec> exec_;
  OctreeStore<Exec> store_;
  OctreeCounts counts_;
};

inline void check_options(const OctreeOptions& options) {
  if (options.leaf_size < 1 || options.leaf_size >= kMostOctreeBodies)
    throw Error("a leaf of " + std::to_string(options.leaf_size) + " bodies cannot be", "octree",
                "choose a leaf size from 1 on");
  if (options.depth < 1 || options.depth > kMostOctreeDepth)
    throw Error("an octree cannot be " + std::to_string(options.depth) + " levels deep", "octree",
                "choose a depth from 1 to " + std::to_string(kMostOctreeDepth));
}

// Nodes that a set is likely to need; twice as many again where it needs more.
inline std::uint64_t likely_nodes(std::uint64_t bodies, int top) {
  return bodies / 4 * 3 + first_of_level(top) + (std::uint64_t(1) << 15);
}

template <class Exec>
class OctreeBuilderOn : public OctreeBuilder {
 public:
  OctreeBuilderOn(std::shared_ptr<Exec> exec, const Progress* progress)
      : exec_(std::move(exec)), progress_(progress) {}

  void set_points(const std::array<const std::uint32_t*, 3>& position,
                  std::uint64_t count) override {
    check_number(count);
    set_ = nullptr;
    forget_columns();
    points_ = PlacedPoints<Exec>(*exec_, position, count);
  }
  void set_points(std::shared_ptr<const PointSet> set) override {
    check_number(set->count());
    forget_columns();
    points_ = PlacedPoints<Exec>(*exec_, {set});
    set_ = std::move(set);
  }
  void set_columns(const OctreeColumns& columns) override {
    forget_columns();
    const float* const from[5] = {columns.mass, columns.light[0], columns.light[1],
                                  columns.light[2], columns.radius};
    for (std::size_t c = 0; c < 5; ++c) {
      if (!from[c]) continue;
      columns_[c] = Buffer<float, Exec>(*exec_, points_.count(), "octree columns");
      exec_->upload(columns_[c].data(), from[c], points_.count() * sizeof(float));
    }
    exec_->synchronize();
  }

  std::shared_ptr<const Octree> build(const OctreeOptions& options, Timings* timings) override {
    check_options(options);
    Timings unused;
    Phases<Exec> phases(*exec_, timings ? *timings : unused);
    OctreeStore<Exec> tree;
    tree.bodies = points_.count();
    OctreeCounts counts;
    counts.bodies = tree.bodies;
    if (tree.bodies > 0) {
      if (options.build == OctreeBuild::Morton)
        build_sorted(options, phases, tree);
      else
        insert_all(options, phases, tree, counts);
      begin(phases, "sums");
      count_awkward(options, tree, counts);
      sum_tree(options, tree, counts.largest_leaf);
      phases.end();
    }
    counts.nodes = tree.node_number;
    counts.leaves = tree.leaf_number;
    if (options.build == OctreeBuild::Morton) counts.taken = tree.node_number;
    exec_->synchronize();
    return std::make_shared<OctreeOn<Exec>>(exec_, std::move(tree), counts);
  }

 private:
  static void check_number(std::uint64_t count) {
    if (count > kMostOctreeBodies)
      throw Error(std::to_string(count) + " bodies are more than an octree can hold (" +
                      std::to_string(kMostOctreeBodies) + ")",
                  "octree", "choose fewer types or a region");
  }
  void forget_columns() {
    for (auto& column : columns_) column = {};
  }
  BodyColumns columns() const {
    return {columns_[0].data(),
            {columns_[1].data(), columns_[2].data(), columns_[3].data()},
            columns_[4].data()};
  }

  Buffer<std::uint64_t, Exec> codes() {
    Buffer<std::uint64_t, Exec> code(*exec_, points_.count(), "Morton codes");
    parallel_for(*exec_, "Morton codes", points_.count(),
                 MakeMortonCode{points_.view().position, code.data()});
    return code;
  }
  Buffer<std::uint32_t, Exec> numbers() {
    Buffer<std::uint32_t, Exec> index(*exec_, points_.count(), "octree");
    thrust::sequence(exec_->policy(), index.begin(), index.end());
    return index;
  }

  void build_sorted(const OctreeOptions& options, Phases<Exec>& phases, OctreeStore<Exec>& tree) {
    begin(phases, "keys");
    Buffer<std::uint64_t, Exec> code = codes();
    tree.order = numbers();
    if (!points_.view().in_morton_order) {
      begin(phases, "sort");
      sort_pairs(*exec_, code, tree.order, kMortonBits);
    }
    begin(phases, "build");
    build_from_codes(*exec_, {code.data(), tree.bodies, options.leaf_size, options.depth}, tree);
  }

  void insert_all(const OctreeOptions& options, Phases<Exec>& phases, OctreeStore<Exec>& tree,
                  OctreeCounts& counts) {
    constexpr std::uint64_t kMost = kMostSlotNodes;
    if (tree.bodies > kMost)
      throw Error(std::to_string(tree.bodies) + " bodies are more than can be inserted (" +
                      std::to_string(kMost) + ")",
                  "octree", "build it from Morton order");
    const OctreeBuild build = options.build;
    const bool with_top = build == OctreeBuild::LockFree || build == OctreeBuild::Shared;
    const int top = with_top ? top_levels(tree.bodies, options.depth) : 1;
    begin(phases, "keys");
    BodyCodes<Exec> bodies{codes(), {}};
    const bool is_shared = Exec::is_cuda && build == OctreeBuild::Shared;
    if (is_shared || (with_top && are_scattered(*exec_, bodies, top))) {
      begin(phases, "sort");
      bodies.index = numbers();
      sort_pairs(*exec_, bodies.code, bodies.index, kMortonBits, kMortonBits - 3 * top);
    }
    tree.order = Buffer<std::uint32_t, Exec>(*exec_, tree.bodies, "octree order");
    for (std::uint64_t room = likely_nodes(tree.bodies, top);; room *= 2) {
      begin(phases, "insert");
      const auto capacity = std::uint32_t(std::min(room, kMost));
      SlotStore<Exec> slots(*exec_, bodies.code.data(), tree.bodies, options.depth, top, capacity);
      switch (build) {
        case OctreeBuild::Plain:
          insert_plain(*exec_, slots.tree);
          break;
        case OctreeBuild::Locked:
          insert_locked(*exec_, slots.tree);
          break;
        case OctreeBuild::Shared:
          insert_shared(*exec_, slots.tree);
          break;
        default:
          insert_lock_free(*exec_, slots.tree);
      }
      std::uint32_t taken = 0;
      exec_->download(&taken, slots.taken.data(), sizeof(taken));
      if (taken > capacity) {
        if (capacity == kMost)
          throw Error("the bodies need more than " + std::to_string(kMost) + " nodes", "octree",
                      "choose a smaller depth, or build it from Morton order");
        continue;
      }
      slots.drop_empty(*exec_);
      begin(phases, "number");
      counts.taken = taken;
      if (!number_tree(*exec_, slots.tree, taken, bodies.index.data(), options.leaf_size, tree))
        build_sorted(options, phases, tree);
      return;
    }
  }

  void sum_tree(const OctreeOptions& options, OctreeStore<Exec>& tree, std::uint32_t largest_leaf) {
    if (!options.sums) return count_up(*exec_, tree);
    const SummedBodies<Exec> bodies(*exec_, points_.view(), columns(), tree.order.data());
    const SumLeaf leaf{
        tree.leaf_begin.data(), {bodies.bodies.data(), bodies.light.data()}, nullptr, nullptr};
    LeafSlices<Exec> slices;
    if (std::max(largest_leaf, options.leaf_size) > kLeafSlice)
      slices = LeafSlices<Exec>(*exec_, tree, leaf);
    sum_up(*exec_, tree, slices.of(leaf), options.leaf_size > 1);
  }

  void count_awkward(const OctreeOptions& options, const OctreeStore<Exec>& tree,
                     OctreeCounts& counts) {
    Buffer<std::uint32_t, Exec> found(*exec_, 3, "octree");
    exec_->zero(found.data(), 3 * sizeof(std::uint32_t));
    parallel_for(*exec_, "octree", tree.leaf_number,
                 CountCrowded{tree.leaf_begin.data(), options.leaf_size, found.data()});
    if (!columns_[0].empty())
      parallel_for(*exec_, "octree", points_.count(),
                   CountBadMasses{columns_[0].data(), found.data() + 2});
    std::uint32_t values[3];
    exec_->download(values, found.data(), sizeof(values));
    counts.crowded_leaves = values[0];
    counts.largest_leaf = values[1];
    counts.bad_masses = values[2];
  }

  // GPUs have no loops that end early.
  void begin(Phases<Exec>& phases, const char* phase) const {
    if (progress_ && progress_->cancelled()) throw Cancelled();
    phases.begin(phase);
  }

  std::shared_ptr<Exec> exec_;
  const Progress* progress_;
  PlacedPoints<Exec> points_;
  std::shared_ptr<const PointSet> set_;
  Buffer<float, Exec> columns_[5];
};

}  // namespace haloscope::compute::spatial
