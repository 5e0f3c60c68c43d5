#pragma once

#include "compute/exec/cuda.h"
#include "compute/spatial/octree_insert.cuh"

#include <cstdint>

// The lowest levels of an octree inserted in shared memory. Bodies are sorted by the cells below
// the top levels first, by no more of their codes; a block of threads takes some cells, inserts
// their bodies by compare-and-swap in its own memory, and copies the nodes. Cells that are too
// large for that are inserted in the GPU's memory as all are without this.
namespace haloscope::compute::spatial {

// A block has the cells that begin among so many places, and of the last of them so many more
// bodies.
inline constexpr std::uint32_t kBlockPlaces = 768, kBlockBodies = 2 * kBlockPlaces;
inline constexpr std::uint32_t kBlockNodes = 1024;

struct BlockMemory {
  std::uint64_t code[kBlockBodies];
  Slot slots[kBlockNodes * 8];
  Slot cell[kBlockBodies];  // at the first body of each cell: what is in its slot
  std::uint32_t first, end, begins_last, taken, base;
  std::uint32_t full;  // there are too few nodes
};

struct SharedInsertion {
  SlotTree tree;
  std::uint32_t* rest;  // bodies that are left, and their number
  std::uint32_t* rest_count;

  __device__ std::uint64_t cell_of(std::uint64_t code) const {
    return code >> 3 * (kMostOctreeDepth - tree.top);
  }

  // The places of the block's cells; where the last one is large, those before it alone, and its
  // bodies are left for later.
  __device__ void find_cells(BlockMemory& m) const {
    const std::uint32_t begin = blockIdx.x * kBlockPlaces;
    const std::uint32_t most =
        tree.bodies - begin < kBlockPlaces ? tree.bodies : begin + kBlockPlaces;
    if (threadIdx.x == 0) {
      m.first = most;
      m.begins_last = begin;
      m.end = most;
    }
    __syncthreads();
    for (std::uint32_t i = begin + threadIdx.x; i < most; i += blockDim.x)
      if (i == 0 || cell_of(tree.code[i]) != cell_of(tree.code[i - 1])) {
        atomicMin(&m.first, i);
        atomicMax(&m.begins_last, i);
      }
    __syncthreads();
    if (m.first == most || threadIdx.x != 0) return;
    // The end of the last cell, by doubled steps, then by halves.
    const std::uint64_t cell = cell_of(tree.code[m.begins_last]);
    std::uint64_t in = most - 1, out = most, step = 1;
    while (out < tree.bodies && cell_of(tree.code[out]) == cell) {
      in = out;
      out = out + step < tree.bodies ? out + step : tree.bodies;
      step *= 2;
    }
    while (out - in > 1) {
      const std::uint64_t middle = in + (out - in) / 2;
      if (cell_of(tree.code[middle]) == cell)
        in = middle;
      else
        out = middle;
    }
    m.end = std::uint32_t(out);
  }

  __device__ void leave(std::uint32_t first, std::uint32_t end, BlockMemory& m) const {
    __syncthreads();
    if (threadIdx.x == 0) m.base = atomicAdd(rest_count, end - first);
    __syncthreads();
    for (std::uint32_t i = first + threadIdx.x; i < end; i += blockDim.x)
      rest[m.base + (i - first)] = i;
    __syncthreads();
  }

  // Into the block's own memory; a body's place counts from m.first there.
  __device__ void insert(std::uint32_t body, BlockMemory& m) const {
    SlotTree own = tree;
    own.slots = m.slots;
    own.code = m.code;
    own.next = tree.next + m.first;
    Descent d{m.code[body], body, 0, tree.top};
    // The first body of its cell: codes of cells ascend.
    std::uint32_t low = 0, high = body;
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (cell_of(m.code[middle]) < cell_of(d.code))
        low = middle + 1;
      else
        high = middle;
    }
    Slot* slot = m.cell + low;
    std::uint32_t node = kNoNode;
    for (;;) {
      const Slot seen = atomicOr(slot, 0u);
      if (is_node_slot(seen)) {
        ++d.level;
        d.slot = own.child(seen & ~kNodeSlot, d.code, d.level);
        slot = m.slots + d.slot;
        if (d.level == own.depth) {
          // Lists are in the GPU's memory, and have the bodies' own numbers.
          const Slot was = atomicExch(slot, body_slot(body));
          own.next[body] = was == kEmptySlot ? was : was + m.first;
          return;
        }
        continue;
      }
      if (seen == kEmptySlot) {
        if (atomicCAS(slot, kEmptySlot, body_slot(body)) == kEmptySlot) return;
        continue;
      }
      if (node == kNoNode) node = atomicAdd(&m.taken, 1u);
      if (node >= kBlockNodes) {
        atomicOr(&m.full, 1u);
        return;
      }
      const std::uint32_t moved = seen - 1;
      Slot* const to = m.slots + own.child(node, m.code[moved], d.level + 1);
      atomicExch(to, seen);
      if (d.level + 1 == own.depth) own.next[moved] = kEmptySlot;
      __threadfence_block();
      if (atomicCAS(slot, seen, node_slot(node)) == seen)
        node = kNoNode;
      else
        atomicExch(to, kEmptySlot);
    }
  }

  __device__ Slot outside(Slot s, const BlockMemory& m) const {
    if (s == kEmptySlot) return s;
    return is_node_slot(s) ? node_slot((s & ~kNodeSlot) + m.base) : s + m.first;
  }

  __device__ void copy_out(std::uint32_t count, BlockMemory& m) const {
    if (threadIdx.x == 0) m.base = atomicAdd(tree.taken, m.taken);
    __syncthreads();
    if (m.base + m.taken > tree.capacity) return;
    for (std::uint32_t s = threadIdx.x; s < m.taken * 8; s += blockDim.x)
      tree.slots[std::size_t(m.base) * 8 + s] = outside(m.slots[s], m);
    for (std::uint32_t k = threadIdx.x; k < count; k += blockDim.x)
      if (k == 0 || cell_of(m.code[k]) != cell_of(m.code[k - 1]))
        tree.slots[begin_descent(tree, m.first + k).slot] = outside(m.cell[k], m);
  }

  __device__ void operator()(BlockMemory& m) const {
    find_cells(m);
    __syncthreads();
    std::uint32_t end = m.end;
    if (m.first >= end) return;
    if (end - m.first > kBlockBodies) {
      const std::uint32_t last = m.begins_last;
      leave(last, end, m);
      end = last;
      if (m.first >= end) return;
    }
    if (threadIdx.x == 0) {
      m.taken = 0;
      m.full = 0;
    }
    const std::uint32_t count = end - m.first;
    for (std::uint32_t s = threadIdx.x; s < kBlockNodes * 8; s += blockDim.x) m.slots[s] = 0;
    for (std::uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
      m.code[k] = tree.code[m.first + k];
      m.cell[k] = kEmptySlot;
    }
    __syncthreads();
    // Neighbors go to one thread, one after the other: they would want the same slot.
    const std::uint32_t rounds = (count + blockDim.x - 1) / blockDim.x;
    const std::uint32_t warps = blockDim.x / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (std::uint32_t r = 0; r < rounds; ++r) {
      const std::uint32_t body = (lane * warps + warp) * rounds + r;
      if (body < count) insert(body, m);
    }
    __syncthreads();
    if (m.full == 0)
      copy_out(count, m);
    else
      leave(m.first, end, m);
  }
};

__global__ void __launch_bounds__(256) insert_shared_kernel(SharedInsertion work) {
  extern __shared__ std::uint64_t shared_octree_words[];
  work(*reinterpret_cast<BlockMemory*>(shared_octree_words));
}

inline void insert_shared(Cuda& exec, const SlotTree& tree) {
  const NamedRange range("octree");
  if (tree.top == tree.depth) return insert_lock_free(exec, tree);
  Buffer<std::uint32_t, Cuda> rest(exec, tree.bodies, "octree"), rest_count(exec, 1, "octree");
  exec.zero(rest_count.data(), sizeof(std::uint32_t));
  exec.make_current();
  check_cuda(cudaFuncSetAttribute(insert_shared_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(sizeof(BlockMemory))),
             "octree");
  const unsigned blocks = unsigned((std::uint64_t(tree.bodies) + kBlockPlaces - 1) / kBlockPlaces);
  insert_shared_kernel<<<blocks, 256, sizeof(BlockMemory), exec.stream()>>>(
      SharedInsertion{tree, rest.data(), rest_count.data()});
  check_cuda(cudaGetLastError(), "octree");
  std::uint32_t left = 0;
  exec.download(&left, rest_count.data(), sizeof(left));
  if (left > 0) insert_lock_free(exec, tree, rest.data(), left);
}

}  // namespace haloscope::compute::spatial
