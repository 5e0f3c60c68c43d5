#pragma once

#include "compute/exec/cpu.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::compute::halos {

// Puts points into the order of a k-d tree (Bentley 1975): each run of `leaf` · 2ᵏ of them from its
// beginning on is one side of a cut across the longest side of what it was cut from. Any run of
// neighbors is then more compact than in Morton order, which jumps. Item: std::uint32_t p[3] and a
// strict order `<` among equal coordinates; the result depends on nothing else.
template <class Item>
class KdOrder {
 public:
  explicit KdOrder(std::size_t leaf) : leaf_(leaf) {}

  void operator()(Item* items, std::size_t n) const {
    if (n <= leaf_) return;
    std::size_t left = leaf_;
    while (left * 2 < n) left *= 2;
    const int axis = longest_side(items, n);
    std::nth_element(items, items + left, items + n, [axis](const Item& a, const Item& b) {
      return a.p[axis] != b.p[axis] ? a.p[axis] < b.p[axis] : a < b;
    });
    constexpr std::size_t kAlone = 1 << 14;
    const auto one = [&] { (*this)(items, left); };
    const auto other = [&] { (*this)(items + left, n - left); };
    if (n > kAlone) {
      ::tbb::parallel_invoke(one, other);
    } else {
      one();
      other();
    }
  }

 private:
  static int longest_side(const Item* items, std::size_t n) {
    std::uint32_t low[3], high[3];
    for (int a = 0; a < 3; ++a) low[a] = high[a] = items[0].p[a];
    for (std::size_t i = 1; i < n; ++i)
      for (int a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], items[i].p[a]);
        high[a] = std::max(high[a], items[i].p[a]);
      }
    int axis = 0;
    for (int a = 1; a < 3; ++a)
      if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    return axis;
  }

  std::size_t leaf_;
};

// Orders the items of each run [begin[r], begin[r + 1]) longer than `least` so that few neighbors
// fill little space, in leaves of `leaf`.
template <class Item>
void order_compactly(Cpu&, const char* /*name*/, Item* items,
                     const std::vector<std::uint64_t>& begin, std::uint64_t least,
                     std::size_t leaf) {
  const KdOrder<Item> order(leaf);
  ::tbb::parallel_for(std::size_t(0), begin.size() - 1, [&](std::size_t r) {
    const std::size_t n = begin[r + 1] - begin[r];
    if (n > least) order(items + begin[r], n);
  });
}

}  // namespace haloscope::compute::halos
