#pragma once

#include "core/host_device.h"

#include <cstdint>

// The k smallest squared distances met so far, in a thread's own memory. Places not yet taken count
// as kNowhere.
namespace haloscope::compute::spatial {

inline constexpr std::uint64_t kNowhere = ~std::uint64_t(0);

// Ascending, for few: no index depends on the data, so that a GPU keeps all in registers. Where k
// is below Capacity, the first ones are zeros that nothing displaces. T is unsigned; its highest
// value stands for kNowhere.
template <int Capacity, class T = std::uint64_t>
class SortedNearest {
 public:
  HALOSCOPE_HD explicit SortedNearest(int k) {
    for (int i = 0; i < Capacity; ++i) squared_[i] = i < Capacity - k ? 0 : ~T(0);
  }
  HALOSCOPE_HD T farthest() const { return squared_[Capacity - 1]; }
  // What is not below farthest() changes nothing.
  HALOSCOPE_HD void insert(T squared) {
    for (int i = 0; i < Capacity; ++i) {
      const T known = squared_[i];
      squared_[i] = squared < known ? squared : known;
      squared = squared < known ? known : squared;
    }
  }

 private:
  T squared_[Capacity];
};

// A binary heap with the farthest on top.
template <int Capacity>
class HeapedNearest {
 public:
  HALOSCOPE_HD explicit HeapedNearest(int k) : count_(k) {
    for (int i = 0; i < k; ++i) squared_[i] = kNowhere;
  }
  HALOSCOPE_HD std::uint64_t farthest() const { return squared_[0]; }
  // Only for what is below farthest(), which it displaces.
  HALOSCOPE_HD void insert(std::uint64_t squared) {
    int at = 0;
    for (int child = 1; child < count_; child = 2 * at + 1) {
      if (child + 1 < count_ && squared_[child + 1] > squared_[child]) ++child;
      if (squared_[child] <= squared) break;
      squared_[at] = squared_[child];
      at = child;
    }
    squared_[at] = squared;
  }

 private:
  int count_;
  std::uint64_t squared_[Capacity];
};

}  // namespace haloscope::compute::spatial
