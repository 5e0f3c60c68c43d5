#pragma once

#include "compute/exec/atomics.h"

#include <cstdint>

namespace haloscope::compute::clusters {

// Disjoint sets of points without locks (Jayanti and Tarjan 2016; ArborX: Prokopenko et al. 2023,
// §4.2): parent[i] ≤ i always, so there are no cycles whatever threads do at the same time, and the
// root of a finished set is its smallest index.
struct UnionFind {
  std::uint32_t* parent;  // parent[i] = i at first

  // Root of i's set; halves the path on the way, which concurrent writers cannot spoil, as every
  // value ever stored is an ancestor.
  HALOSCOPE_HD std::uint32_t find(std::uint32_t i) const {
    std::uint32_t up = atomic_load(parent + i);
    while (up != i) {
      const std::uint32_t above = atomic_load(parent + up);
      if (above == up) return up;
      atomic_store(parent + i, above);
      i = above;
      up = atomic_load(parent + i);
    }
    return i;
  }

  // Makes one set of the sets of a and b; returns its root as known at that moment.
  HALOSCOPE_HD std::uint32_t unite(std::uint32_t a, std::uint32_t b) const {
    a = find(a);
    b = find(b);
    while (a != b) {
      const std::uint32_t low = a < b ? a : b, high = a < b ? b : a;
      const std::uint32_t seen = atomic_compare_exchange(parent + high, high, low);
      if (seen == high) return low;
      a = low;
      b = find(seen);
    }
    return a;
  }
};

}  // namespace haloscope::compute::clusters
