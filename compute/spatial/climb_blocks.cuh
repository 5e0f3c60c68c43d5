#pragma once

#include "compute/exec/cuda.h"
#include "compute/spatial/lbvh.inl"

// The building of a tree for the GPU. In the plain version every step up is an exchange in global
// memory; here a block of threads builds all nodes that lie within its 256 leaves in shared memory,
// and only the at most two nodes of a block whose parents reach beyond it go on as in the plain
// one.
namespace haloscope::compute::spatial {

struct ClimbBlocks {
  static constexpr std::uint32_t kLeaves = 256;  // of a block

  // The two finished nodes of a block that its threads could not go on from: the one that ends
  // at its first leaf's side and the one at its last leaf's; empty where first > last.
  struct Ends {
    std::uint32_t first[2], last[2];
  };
};

// What a block knows of its leaves begin … end − 1.
struct BlockOfLeaves {
  const std::uint64_t* difference;  // of the leaves from begin − 1 on, up to end
  std::uint32_t begin, end, count;

  HALOSCOPE_HD bool is_left(std::uint32_t first, std::uint32_t last) const {
    return is_left_child(first, last, count,
                         [&](std::uint32_t i) { return difference[i + 1 - begin]; });
  }
  HALOSCOPE_HD NodeRef after(std::uint32_t i) const {
    const std::uint32_t next = i + 1;
    if (next == count) return kEnd;
    return is_left(next, next) ? next : next | kLeaf;
  }
};

template <class Leaf>
__global__ void __launch_bounds__(ClimbBlocks::kLeaves)
    climb_blocks_kernel(const Climb<Leaf> plain, std::uint32_t* right_leaves,
                        ClimbBlocks::Ends* ends) {
  constexpr std::uint32_t kLeaves = ClimbBlocks::kLeaves;
  constexpr std::uint32_t kNobody = Climb<Leaf>::kNobody;
  __shared__ std::uint64_t difference[kLeaves + 2];
  __shared__ std::uint32_t met[kLeaves];
  __shared__ BvhNode nodes[kLeaves];
  __shared__ ClimbBlocks::Ends open;

  const std::uint32_t count = plain.tree.count, thread = threadIdx.x;
  const std::uint32_t begin = blockIdx.x * kLeaves;
  const std::uint32_t end = begin + kLeaves < count ? begin + kLeaves : count;
  const std::uint64_t* code = plain.order.code;
  for (std::uint32_t j = thread; j < kLeaves + 2; j += kLeaves) {
    const std::uint32_t i = begin + j - 1;  // wraps before the first leaf of all
    difference[j] = i < count - 1 ? leaf_difference(i, code[i], code[i + 1]) : 0;
  }
  met[thread] = kNobody;
  nodes[thread].left = kEnd;
  if (thread < 2) {
    open.first[thread] = 1;
    open.last[thread] = 0;
  }
  __syncthreads();

  const BlockOfLeaves block{difference, begin, end, count};
  const std::uint32_t own = begin + thread;
  const unsigned right = __ballot_sync(~0u, own < end && !block.is_left(own, own));
  if (thread % 32 == 0 && own < end) right_leaves[own / 32] = right;

  std::uint32_t first = own, last = own;
  bool climbs = own < end;
  BvhBox box{};
  if (climbs) box = box_of(plain.tree.leaves[own]);
  // A step of all threads at a time: whom one meets had its box written in an earlier step.
  while (__syncthreads_or(climbs)) {
    if (!climbs) continue;
    const bool left = block.is_left(first, last);
    const std::uint32_t split = left ? last : first - 1;
    climbs = first != 0 || last + 1 != count;
    if (climbs && (left ? last + 1 == end : first == begin)) {
      open.first[left] = first;
      open.last[left] = last;
      climbs = false;
    }
    if (!climbs) continue;
    const std::uint32_t far = atomicExch(met + (split - begin), left ? first : last);
    climbs = far != kNobody;
    if (!climbs) continue;
    (left ? last : first) = far;
    const std::uint32_t sibling = left ? split + 1 : split;
    if (far == sibling)
      widen(box, box_of(plain.tree.leaves[sibling]));
    else
      widen(box, nodes[sibling - begin]);
    const bool root = first == 0 && last + 1 == count;
    const std::uint32_t number = root ? 0 : (block.is_left(first, last) ? last : first);
    nodes[number - begin] = {{box.low[0], box.low[1], box.low[2]},
                             {box.high[0], box.high[1], box.high[2]},
                             first == split ? split | kLeaf : split,
                             block.after(last)};
  }

  // Nodes whose other child reaches beyond the block still wait for it: in global memory now.
  if (own < count - 1) {
    if (own < end) plain.met[own] = met[thread];
    if (own < end && nodes[thread].left != kEnd) plain.nodes[own] = nodes[thread];
  }
  if (thread == 0) ends[blockIdx.x] = open;
}

template <class Leaf>
struct ClimbOn {
  Climb<Leaf> plain;
  const ClimbBlocks::Ends* ends;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t first = ends[k / 2].first[k % 2], last = ends[k / 2].last[k % 2];
    if (first > last) return;
    if (first == last) return plain.climb(first, last, box_of(plain.tree.leaves[first]));
    const bool left = k % 2 == 1;
    const BvhNode& node = plain.nodes[left ? last : first];
    plain.climb(
        first, last,
        {{node.low[0], node.low[1], node.low[2]}, {node.high[0], node.high[1], node.high[2]}});
  }
};

template <class Leaf>
void climb_all(Cuda& exec, const LeafOrder& order, const Leaf* leaves, Lbvh<Cuda>& tree) {
  constexpr std::uint32_t kLeaves = ClimbBlocks::kLeaves;
  const std::uint32_t blocks = tree.count / kLeaves + (tree.count % kLeaves != 0);
  Buffer<std::uint32_t, Cuda> met(exec, tree.count - 1, "tree building");
  Buffer<ClimbBlocks::Ends, Cuda> ends(exec, blocks, "tree building");
  const Climb<Leaf> plain{order, tree.view(leaves), tree.nodes.data(), met.data()};
  const NamedRange range("tree building");
  climb_blocks_kernel<<<blocks, kLeaves, 0, exec.stream()>>>(plain, tree.right_leaves.data(),
                                                             ends.data());
  check_cuda(cudaGetLastError(), "tree building");
  parallel_for(exec, "tree building", std::size_t(2) * blocks, ClimbOn<Leaf>{plain, ends.data()});
}

}  // namespace haloscope::compute::spatial
