#pragma once

#include "compute/exec/atomics.h"
#include "compute/exec/buffer.h"
#include "compute/spatial/octree_view.h"

#include <cstddef>
#include <cstdint>

// A tree while bodies are inserted into it: eight slots per node, each of them empty, a body or a
// node. A slot goes from empty to a body to a node, never back, and every change of it is a
// compare-and-swap. So a thread may act on an old value that it read: its swap fails then, and
// tells the new one.
namespace haloscope::compute::spatial {

using Slot = std::uint32_t;
inline constexpr Slot kEmptySlot = 0, kNodeSlot = Slot(1) << 31;
inline constexpr std::uint32_t kNoNode = ~0u;

HALOSCOPE_HD inline Slot body_slot(std::uint32_t body) {
  return body + 1;
}
HALOSCOPE_HD inline Slot node_slot(std::uint32_t node) {
  return node | kNodeSlot;
}
HALOSCOPE_HD inline bool is_node_slot(Slot s) {
  return s & kNodeSlot;
}

// What a thread wrote into its node is seen by whoever finds the node.
HALOSCOPE_HD inline void fence_before_publishing() {
#if defined(__CUDA_ARCH__)
  __threadfence();
#else
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}
HALOSCOPE_HD inline Slot load_slot(const Slot* p) {
#if defined(__CUDA_ARCH__)
  return atomic_load(p);
#else
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#endif
}
HALOSCOPE_HD inline Slot swap_slot(Slot* p, Slot expected, Slot desired) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(p, expected, desired);
#else
  __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return expected;
#endif
}

struct SlotTree {
  Slot* slots;           // eight per node, zeros; node 0 is the root
  std::uint32_t* next;   // of bodies of one cell of the deepest level: the one after it, as a slot
  std::uint32_t* taken;  // nodes handed out, whether there is room for them or not
  std::uint32_t capacity;     // of nodes, at most kMostSlotNodes
  const std::uint64_t* code;  // of each body
  std::uint32_t bodies;
  int depth;
  int top;  // levels of nodes that are there before, all of them: see TopLevels

  // A slot's own number, of 32 bits.
  HALOSCOPE_HD std::uint32_t child(std::uint32_t node, std::uint64_t of_code, int level) const {
    return node * 8 + octant_of(of_code, level);
  }
};
inline constexpr std::uint32_t kMostSlotNodes = (std::uint32_t(1) << 29) - 1024;

// Where a body is on its way down: a slot whose cell is on `level`.
struct Descent {
  std::uint64_t code;
  std::uint32_t body, slot;
  int level;
};

HALOSCOPE_HD inline std::uint32_t first_of_level(int level) {
  // Of a tree with all nodes: (8ˡ − 1) / 7.
  return std::uint32_t(((std::uint64_t(1) << 3 * level) - 1) / 7);
}

// From the top levels that are there on, or from the root.
HALOSCOPE_HD inline Descent begin_descent(const SlotTree& tree, std::uint32_t body) {
  Descent d;
  d.body = body;
  d.code = tree.code[body];
  d.level = tree.top;
  const auto cell = std::uint32_t(d.code >> 3 * (kMostOctreeDepth - (tree.top - 1)));
  d.slot = tree.child(first_of_level(tree.top - 1) + cell, d.code, d.level);
  return d;
}

// Goes down to a slot that is no node, and returns what is in it; `seen` is what is in d.slot.
HALOSCOPE_HD inline Slot go_down(const SlotTree& tree, Descent& d, Slot seen) {
  while (is_node_slot(seen)) {
    ++d.level;
    d.slot = tree.child(seen & ~kNodeSlot, d.code, d.level);
    seen = load_slot(tree.slots + d.slot);
  }
  return seen;
}

// Puts a body into a cell of the deepest level, where any number of them are a list. That the next
// one is written after the swap harms nobody: lists are read when all bodies are in.
HALOSCOPE_HD inline void put_into_deepest(const SlotTree& tree, const Descent& d) {
  tree.next[d.body] = atomic_exchange_ordered(tree.slots + d.slot, body_slot(d.body));
}

// Divides the slot that holds a body, `seen`: the body goes into `node`, which is empty and this
// thread's own, and the node into the slot. Returns what is in the slot then. Where another thread
// was faster the node is empty again, and stays this thread's.
HALOSCOPE_HD inline Slot divide_slot(const SlotTree& tree, const Descent& d, Slot seen,
                                     std::uint32_t node) {
  const std::uint32_t moved = seen - 1;
  const std::uint32_t to = tree.child(node, tree.code[moved], d.level + 1);
  atomic_store(tree.slots + to, seen);
  if (d.level + 1 == tree.depth) tree.next[moved] = kEmptySlot;
  fence_before_publishing();
  const Slot was = swap_slot(tree.slots + d.slot, seen, node_slot(node));
  if (was == seen) return node_slot(node);
  atomic_store(tree.slots + to, kEmptySlot);
  return was;
}

// The nodes of the levels above `top`: links between them are there, and their lowest slots empty.
struct TopLevels {
  Slot* slots;
  int top;
  HALOSCOPE_HD void operator()(std::size_t slot) const {
    // In a tree with all nodes the children of node n are 8 n + 1 … 8 n + 8.
    slots[slot] = node_slot(std::uint32_t(slot) + 1);
  }
};

// Takes nodes of one level of those away that are empty, from the lowest up. Those of one body
// become leaves when nodes get their numbers.
struct DropEmptyTop {
  Slot* slots;
  std::uint32_t first;  // node of the level
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::uint32_t node = first + std::uint32_t(k);
    Slot any = kEmptySlot;
    for (std::size_t o = 0; o < 8; ++o) any |= slots[std::size_t(node) * 8 + o];
    if (any == kEmptySlot) slots[node - 1] = kEmptySlot;
  }
};

// As many top levels as have eight bodies per slot or more.
inline int top_levels(std::uint32_t bodies, int depth) {
  int top = 1;
  while (top < 8 && top + 1 < depth && (std::uint64_t(8) << 3 * (top + 1)) <= bodies) ++top;
  return top;
}

// Codes of bodies as they are inserted. Where they were sorted by cells, each one's own index.
template <class Exec>
struct BodyCodes {
  Buffer<std::uint64_t, Exec> code;
  Buffer<std::uint32_t, Exec> index;
};

template <class Exec>
struct SlotStore {
  Buffer<Slot, Exec> slots;
  Buffer<std::uint32_t, Exec> next, taken;
  SlotTree tree{};

  SlotStore(Exec& exec, const std::uint64_t* code, std::uint32_t bodies, int depth, int top,
            std::uint32_t capacity)
      : slots(exec, std::size_t(capacity) * 8, "octree slots"),
        next(exec, bodies, "octree lists"),
        taken(exec, 1, "octree slots") {
    exec.zero(slots.data(), slots.size() * sizeof(Slot));
    const std::uint32_t nodes = first_of_level(top);
    exec.upload(taken.data(), &nodes, sizeof(nodes));
    exec.synchronize();
    if (top > 1)
      parallel_for(exec, "octree", std::size_t(first_of_level(top - 1)) * 8,
                   TopLevels{slots.data(), top});
    tree = {slots.data(), next.data(), taken.data(), capacity, code, bodies, depth, top};
  }
  void drop_empty(Exec& exec) {
    for (int level = tree.top - 1; level > 0; --level)
      parallel_for(exec, "octree", first_of_level(level + 1) - first_of_level(level),
                   DropEmptyTop{slots.data(), first_of_level(level)});
  }
};

}  // namespace haloscope::compute::spatial
