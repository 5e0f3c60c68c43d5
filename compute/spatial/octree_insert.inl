#pragma once

#include "compute/spatial/octree_slots.inl"

#include <cstddef>
#include <cstdint>

// Ways to insert bodies: one thread for some bodies, for either executor. GPUs have
// octree_insert.cuh too, the CPU octree_insert_cpu.h.
namespace haloscope::compute::spatial {

// Nodes of one thread. The counter hands out several at a time; where they run out the build is
// made again with more room.
class NodePurse {
 public:
  HALOSCOPE_HD explicit NodePurse(std::uint32_t at_once) : at_once_(at_once) {}
  // kNoNode: there is none.
  HALOSCOPE_HD std::uint32_t take(const SlotTree& tree) {
    if (next_ == end_) {
      next_ = atomic_add(tree.taken, at_once_);
      end_ = next_ + at_once_;
    }
    if (next_ >= tree.capacity) return kNoNode;
    return next_++;
  }

 private:
  std::uint32_t at_once_, next_ = 0, end_ = 0;
};

// Bodies `thread`, `thread` + `threads`, …: OctreeBuild-LF as published. Each thread has one node
// ready; it takes the next when that is in the tree.
struct InsertPlain {
  SlotTree tree;
  std::uint32_t threads;
  HALOSCOPE_HD void operator()(std::size_t thread) const {
    NodePurse purse(1);
    std::uint32_t node = purse.take(tree);
    for (std::uint64_t body = thread; body < tree.bodies; body += threads) {
      Descent d = begin_descent(tree, std::uint32_t(body));
      Slot seen = load_slot(tree.slots + d.slot);
      for (;;) {
        seen = go_down(tree, d, seen);
        if (d.level == tree.depth) {
          put_into_deepest(tree, d);
          break;
        }
        if (seen == kEmptySlot) {
          seen = swap_slot(tree.slots + d.slot, kEmptySlot, body_slot(d.body));
          if (seen == kEmptySlot) break;
          continue;
        }
        if (node == kNoNode) return;
        seen = divide_slot(tree, d, seen, node);
        if (seen == node_slot(node)) node = purse.take(tree);
      }
    }
  }
};

// What is in a slot that somebody divides.
inline constexpr Slot kLockedSlot = kNodeSlot - 1;

enum class Tried { Done, Again, NoRoom };

// One try to insert a body with locks: divides until both bodies have a slot each, then opens.
HALOSCOPE_HD inline Tried try_locked(const SlotTree& tree, Descent& d, NodePurse& purse) {
  const Slot seen = go_down(tree, d, load_slot(tree.slots + d.slot));
  if (seen == kLockedSlot) return Tried::Again;
  Slot* const slot = tree.slots + d.slot;
  if (d.level == tree.depth) {
    put_into_deepest(tree, d);
    return Tried::Done;
  }
  if (seen == kEmptySlot)
    return swap_slot(slot, kEmptySlot, body_slot(d.body)) == kEmptySlot ? Tried::Done
                                                                        : Tried::Again;
  if (swap_slot(slot, seen, kLockedSlot) != seen) return Tried::Again;
  const std::uint32_t other = seen - 1;
  const std::uint64_t other_code = tree.code[other];
  const std::uint32_t first = purse.take(tree);
  std::uint32_t node = first;
  for (int level = d.level + 1; node != kNoNode; ++level) {
    const std::uint32_t own = tree.child(node, d.code, level),
                        others = tree.child(node, other_code, level);
    if (own != others || level == tree.depth) {
      atomic_store(tree.slots + others, seen);
      if (level == tree.depth) tree.next[other] = kEmptySlot;
      if (level == tree.depth) tree.next[d.body] = own == others ? seen : kEmptySlot;
      atomic_store(tree.slots + own, body_slot(d.body));
      fence_before_publishing();
      atomic_store(slot, node_slot(first));
      return Tried::Done;
    }
    node = purse.take(tree);
    if (node != kNoNode) atomic_store(tree.slots + own, node_slot(node));
  }
  // The others must not wait for ever; the tree is made again.
  atomic_store(slot, seen);
  return Tried::NoRoom;
}

}  // namespace haloscope::compute::spatial
