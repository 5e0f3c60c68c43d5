#pragma once

#include "compute/exec/sort.h"
#include "compute/spatial/morton.h"
#include "compute/spatial/points_view.h"

#include <thrust/sequence.h>

namespace haloscope::compute::spatial {

struct MakeMortonCode {
  Positions position;
  std::uint64_t* code;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const FixedPoint p = position.at(i);
    code[i] = morton_code(p.x, p.y, p.z);
  }
};

// The permutation that puts positions in Morton order: element k is the index of the k-th particle.
// Ties keep their order, so the result is the same on both executors.
template <class Exec>
Buffer<std::uint32_t, Exec> morton_order(Exec& exec, const Positions& position, std::size_t count) {
  Buffer<std::uint32_t, Exec> order(exec, count, "Morton order");
  Buffer<std::uint64_t, Exec> codes(exec, count, "Morton codes");
  parallel_for(exec, "Morton codes", count, MakeMortonCode{position, codes.data()});
  thrust::sequence(exec.policy(), order.begin(), order.end());
  sort_pairs(exec, codes, order, kMortonBits);
  return order;
}

template <class T>
struct Gather {
  const T* from;
  const std::uint32_t* order;
  T* to;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = from[order[i]]; }
};

}  // namespace haloscope::compute::spatial
