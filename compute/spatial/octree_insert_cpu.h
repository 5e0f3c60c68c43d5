#pragma once

#include "compute/exec/cpu.h"
#include "compute/spatial/octree_insert.inl"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

// How cores insert bodies into an octree.
namespace haloscope::compute::spatial {

// Several bodies at a time, a step of each in turn: what one of them waits for from memory has come
// when it is its turn again.
class BodiesUnderWay {
 public:
  explicit BodiesUnderWay(const SlotTree& tree) : tree_(tree) {}

  void insert(std::uint32_t first, std::uint32_t end) {
    std::uint32_t body = first;
    int under_way = 0;
    while (under_way < kAtOnce && body < end) start(ways_[under_way++], body++);
    while (under_way > 0)
      for (int k = 0; k < under_way;) {
        if (!step(ways_[k])) {
          ++k;
        } else if (body < end) {
          start(ways_[k++], body++);
        } else {
          ways_[k] = ways_[--under_way];
        }
      }
  }

 private:
  static constexpr int kAtOnce = 16;
  static constexpr std::uint32_t kNodesAtOnce = 64;
  struct Way {
    Descent at;
    Slot divided;  // the body that is to be moved: its code is on the way; or kEmptySlot
  };

  void start(Way& way, std::uint32_t body) {
    way.at = begin_descent(tree_, body);
    way.divided = kEmptySlot;
    fetch(tree_.slots + way.at.slot);
  }
  template <class T>
  static void fetch(const T* p) {
    __builtin_prefetch(p);
  }

  // True: the body is in, or there is no room.
  bool step(Way& way) {
    Descent& d = way.at;
    if (way.divided != kEmptySlot) {
      if (node_ == kNoNode) node_ = purse_.take(tree_);
      if (node_ == kNoNode) return true;
      const Slot seen = divide_slot(tree_, d, way.divided, node_);
      if (seen == node_slot(node_)) node_ = kNoNode;
      way.divided = kEmptySlot;
      follow(d, seen);
      return false;
    }
    if (d.level == tree_.depth) {
      put_into_deepest(tree_, d);
      return true;
    }
    Slot seen = load_slot(tree_.slots + d.slot);
    if (seen == kEmptySlot) {
      seen = swap_slot(tree_.slots + d.slot, kEmptySlot, body_slot(d.body));
      if (seen == kEmptySlot) return true;
    }
    if (is_node_slot(seen)) {
      follow(d, seen);
    } else {
      way.divided = seen;
      fetch(tree_.code + (seen - 1));
    }
    return false;
  }
  // One level down where that is known.
  void follow(Descent& d, Slot seen) {
    if (!is_node_slot(seen)) return;
    ++d.level;
    d.slot = tree_.child(seen & ~kNodeSlot, d.code, d.level);
    fetch(tree_.slots + d.slot);
  }

  SlotTree tree_;
  NodePurse purse_{kNodesAtOnce};
  std::uint32_t node_ = kNoNode;
  Way ways_[kAtOnce];
};

// Bodies of one stretch, which one core inserts.
inline constexpr std::size_t kStretch = 16384;

template <class Insert>
void insert_stretches(Cpu& exec, std::uint32_t bodies, const Insert& insert) {
  ::tbb::parallel_for(::tbb::blocked_range<std::size_t>(0, bodies, kStretch),
                      [&](const ::tbb::blocked_range<std::size_t>& some) {
                        exec.check_cancelled();
                        insert(std::uint32_t(some.begin()), std::uint32_t(some.end()));
                      });
}

inline void insert_lock_free(Cpu& exec, const SlotTree& tree) {
  insert_stretches(exec, tree.bodies, [&](std::uint32_t first, std::uint32_t end) {
    BodiesUnderWay(tree).insert(first, end);
  });
}

inline void insert_plain(Cpu& exec, const SlotTree& tree) {
  const auto threads = std::uint32_t((tree.bodies + kStretch - 1) / kStretch);
  ::tbb::parallel_for(std::uint32_t(0), threads, [&](std::uint32_t thread) {
    exec.check_cancelled();
    InsertPlain{tree, threads}(thread);
  });
}

// Caches are what shared memory is to a GPU.
inline void insert_shared(Cpu& exec, const SlotTree& tree) {
  insert_lock_free(exec, tree);
}

// Cores have no barrier to wait at; they try again.
inline void insert_locked(Cpu& exec, const SlotTree& tree) {
  insert_stretches(exec, tree.bodies, [&](std::uint32_t first, std::uint32_t end) {
    NodePurse purse(64);
    for (std::uint32_t body = first; body < end; ++body) {
      Descent d = begin_descent(tree, body);
      Tried tried;
      while ((tried = try_locked(tree, d, purse)) == Tried::Again) {
      }
      if (tried == Tried::NoRoom) return;
    }
  });
}

}  // namespace haloscope::compute::spatial
