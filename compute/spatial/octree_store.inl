#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/slices.inl"
#include "compute/spatial/octree.h"

#include <thrust/scan.h>

#include <cstddef>
#include <cstdint>

// The memory of a tree, and what every build ends with.
namespace haloscope::compute::spatial {

template <class Exec>
std::uint32_t last_of(Exec& exec, const std::uint32_t* end) {
  std::uint32_t value = 0;
  exec.download(&value, end - 1, sizeof(value));
  return value;
}

// A number by one more entry than there are: what was before each, and all.
template <class Exec>
std::uint32_t scan_numbers(Exec& exec, Buffer<std::uint32_t, Exec>& number, std::size_t count) {
  exec.zero(number.data() + count, sizeof(std::uint32_t));
  thrust::exclusive_scan(exec.policy(), number.data(), number.data() + count + 1, number.data());
  return last_of(exec, number.data() + count + 1);
}

struct FillRefs {
  OctreeNode* nodes;
  HALOSCOPE_HD void operator()(std::size_t n) const {
    OctreeNode none;
    for (auto& child : none.child) child = kNoOctreeRef;
    nodes[n] = none;
  }
};

template <class Exec>
struct OctreeStore {
  Buffer<std::uint32_t, Exec> order, node_begin, node_count, leaf_begin;
  Buffer<OctreeNode, Exec> nodes;
  Buffer<OctreeSums, Exec> node_sums, leaf_sums;
  std::uint32_t bodies = 0, node_number = 0, leaf_number = 0;
  int levels = 0;
  std::uint32_t level_begin[kMostOctreeDepth + 1] = {};

  // From the first node of each of kMostOctreeDepth levels, and the end.
  void set_levels(const std::uint32_t* begin) {
    levels = 0;
    for (int l = 0; l <= kMostOctreeDepth; ++l) {
      level_begin[l] = begin[l];
      if (l > 0 && begin[l] > begin[l - 1]) levels = l;
    }
  }
  // For nodes without children, and leaves.
  void make_room(Exec& exec, std::uint32_t of_nodes, std::uint32_t of_leaves) {
    node_number = of_nodes;
    leaf_number = of_leaves;
    nodes = Buffer<OctreeNode, Exec>(exec, of_nodes, "octree nodes");
    node_begin = Buffer<std::uint32_t, Exec>(exec, of_nodes, "octree nodes");
    node_count = Buffer<std::uint32_t, Exec>(exec, of_nodes, "octree nodes");
    leaf_begin = Buffer<std::uint32_t, Exec>(exec, std::size_t(of_leaves) + 1, "octree leaves");
    parallel_for(exec, "octree nodes", of_nodes, FillRefs{nodes.data()});
    exec.upload(leaf_begin.data() + of_leaves, &bodies, sizeof(bodies));
  }
  OctreeView view() const {
    OctreeView v;
    v.order = order.data();
    v.nodes = nodes.data();
    v.node_begin = node_begin.data();
    v.node_count = node_count.data();
    v.leaf_begin = leaf_begin.data();
    v.node_sums = node_sums.data();
    v.leaf_sums = leaf_sums.data();
    v.bodies = bodies;
    v.node_number = node_number;
    v.leaf_number = leaf_number;
    v.levels = levels;
    for (int l = 0; l <= kMostOctreeDepth; ++l) v.level_begin[l] = level_begin[l];
    return v;
  }
};

}  // namespace haloscope::compute::spatial
