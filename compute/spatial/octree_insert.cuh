#pragma once

#include "compute/exec/cuda.h"
#include "compute/spatial/octree_insert.inl"

#include <algorithm>
#include <cstdint>

// How a GPU inserts bodies into an octree: warps stay, and go through the bodies.
namespace haloscope::compute::spatial {

inline constexpr unsigned kAllLanes = 0xffffffffu;

// A slot that may be older than what is there: it comes from the multiprocessor's own cache, and
// the swap that follows finds out.
__device__ inline Slot load_cached_slot(const Slot* p) {
  Slot s;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(s) : "l"(p));
  return s;
}

// Nodes that a warp has in store. All lanes call with the same store.
class WarpNodes {
 public:
  // What is left in the stores of all warps is lost: of few bodies that would be much.
  __device__ explicit WarpNodes(std::uint32_t bodies) : at_once_(bodies >= (1u << 23) ? 32 : 16) {}

  // A node for each lane that wants one; false where the tree has no room for that.
  __device__ bool take(const SlotTree& tree, bool wants, std::uint32_t& node) {
    const unsigned who = __ballot_sync(kAllLanes, wants);
    if (who == 0) return true;
    const unsigned lane = threadIdx.x % 32;
    const auto wanted = std::uint32_t(__popc(who));
    const auto rank = std::uint32_t(__popc(who & ((1u << lane) - 1)));
    if (wanted > left_) {
      const std::uint32_t lacking = wanted - left_;
      const std::uint32_t asked = lacking > at_once_ ? lacking : at_once_;
      std::uint32_t more = 0;
      if (lane == 0) more = atomicAdd(tree.taken, asked);
      more = __shfl_sync(kAllLanes, more, 0);
      if (more + asked > tree.capacity) return false;
      if (wants) node = rank < left_ ? next_ + rank : more + (rank - left_);
      next_ = more + lacking;
      left_ = asked - lacking;
    } else {
      if (wants) node = next_ + rank;
      next_ += wanted;
      left_ -= wanted;
    }
    return true;
  }

 private:
  const std::uint32_t at_once_;
  std::uint32_t next_ = 0, left_ = 0;
};

// Lanes whose bodies have come to one slot choose one among them, which acts for all: a node for
// those that are many, so that they part; else the body itself. A node that another warp was faster
// than stays with the lane for its next one. Lanes get their next bodies together, which costs less
// than to fill gaps. `some`: the bodies, or null for the first.
__global__ void __launch_bounds__(256)
    insert_lock_free_kernel(SlotTree tree, const std::uint32_t* some, std::uint32_t bodies) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
                      warps = gridDim.x * blockDim.x / 32;
  WarpNodes store(bodies);
  std::uint32_t node = kNoNode;
  bool used = false;                              // something was written into the node before
  std::uint64_t next = std::uint64_t(warp) * 32;  // the first of the next 32 bodies
  bool active = false;
  Descent d{};
  Slot seen = kEmptySlot;
  for (;;) {
    if (!__any_sync(kAllLanes, active)) {
      if (next >= bodies) return;
      active = next + lane < bodies;
      if (active) {
        const auto body = std::uint32_t(next + lane);
        d = begin_descent(tree, some ? some[body] : body);
        seen = load_cached_slot(tree.slots + d.slot);
      }
      next += std::uint64_t(warps) * 32;
    }
    if (active) {
      while (is_node_slot(seen)) {
        ++d.level;
        d.slot = tree.child(seen & ~kNodeSlot, d.code, d.level);
        seen = load_cached_slot(tree.slots + d.slot);
      }
      if (d.level == tree.depth) {
        put_into_deepest(tree, d);
        active = false;
      }
    }
    __syncwarp();
    const unsigned peers = __match_any_sync(kAllLanes, active ? d.slot : ~lane);
    const int chosen = __ffs(int(peers)) - 1;
    const bool acts = active && int(lane) == chosen;
    const bool divides = acts && (seen != kEmptySlot || peers != 1u << lane);
    if (!store.take(tree, divides && node == kNoNode, node)) return;
    if (divides) {
      if (seen != kEmptySlot) {
        seen = divide_slot(tree, d, seen, node);
      } else {
        if (used) fence_before_publishing();
        const Slot was = swap_slot(tree.slots + d.slot, kEmptySlot, node_slot(node));
        seen = was == kEmptySlot ? node_slot(node) : was;
      }
      used = seen != node_slot(node);
      if (!used) node = kNoNode;
    } else if (acts) {
      seen = swap_slot(tree.slots + d.slot, kEmptySlot, body_slot(d.body));
      active = seen != kEmptySlot;
    }
    __syncwarp();
    const Slot there = __shfl_sync(kAllLanes, seen, chosen);
    if (active) seen = there;
  }
}

// Blocks that fill the GPU, fewer where each warp would get few bodies.
template <class Kernel>
unsigned resident_blocks(Cuda& exec, Kernel kernel, std::uint32_t bodies) {
  int of_each = 0;
  exec.make_current();
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, 256, 0), "octree");
  const std::uint64_t most = std::uint64_t(exec.multiprocessors()) * std::uint64_t(of_each);
  const std::uint64_t wanted = (std::uint64_t(bodies) + 1023) / 1024;
  return unsigned(std::max<std::uint64_t>(1, std::min(most, wanted)));
}

inline void insert_lock_free(Cuda& exec, const SlotTree& tree, const std::uint32_t* some,
                             std::uint32_t bodies) {
  const NamedRange range("octree");
  const auto kernel = insert_lock_free_kernel;
  kernel<<<resident_blocks(exec, kernel, bodies), 256, 0, exec.stream()>>>(tree, some, bodies);
  check_cuda(cudaGetLastError(), "octree");
}

inline void insert_lock_free(Cuda& exec, const SlotTree& tree) {
  insert_lock_free(exec, tree, nullptr, tree.bodies);
}

__global__ void __launch_bounds__(256) insert_plain_kernel(InsertPlain work) {
  work(std::size_t(blockIdx.x) * blockDim.x + threadIdx.x);
}

inline void insert_plain(Cuda& exec, const SlotTree& tree) {
  const NamedRange range("octree");
  const auto kernel = insert_plain_kernel;
  const unsigned blocks = resident_blocks(exec, kernel, tree.bodies);
  kernel<<<blocks, 256, 0, exec.stream()>>>(InsertPlain{tree, blocks * 256});
  check_cuda(cudaGetLastError(), "octree");
}

// After each try all threads of a block wait for one another, so that those that found a lock do
// not ask for it all the time.
__global__ void __launch_bounds__(256) insert_locked_kernel(SlotTree tree) {
  const std::uint32_t threads = gridDim.x * blockDim.x;
  std::uint64_t body = blockIdx.x * blockDim.x + threadIdx.x;
  NodePurse purse(1);
  Descent d{};
  bool has_body = false;
  do {
    if (!has_body && body < tree.bodies) {
      d = begin_descent(tree, std::uint32_t(body));
      has_body = true;
    }
    if (has_body) {
      const Tried tried = try_locked(tree, d, purse);
      if (tried != Tried::Again) {
        has_body = false;
        body = tried == Tried::Done ? body + threads : tree.bodies;
      }
    }
  } while (__syncthreads_or(has_body || body < tree.bodies));
}

inline void insert_locked(Cuda& exec, const SlotTree& tree) {
  const NamedRange range("octree");
  const auto kernel = insert_locked_kernel;
  kernel<<<resident_blocks(exec, kernel, tree.bodies), 256, 0, exec.stream()>>>(tree);
  check_cuda(cudaGetLastError(), "octree");
}

}  // namespace haloscope::compute::spatial
