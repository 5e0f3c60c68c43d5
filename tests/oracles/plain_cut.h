#pragma once

#include "compute/hierarchy/dendrogram.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::test {

// Of each point the smallest point in its cluster after the edges of the first `ranks` ranks have
// merged, by a walk along the leaves.
inline std::vector<std::uint32_t> plain_cut(const compute::hierarchy::Dendrogram& dendrogram,
                                            std::uint32_t ranks) {
  const std::vector<std::uint32_t>& order = dendrogram.order;
  std::vector<std::uint32_t> smallest(order.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && dendrogram.between[end - 1] < ranks) ++end;
    const std::uint32_t name = *std::min_element(order.begin() + std::ptrdiff_t(begin),
                                                 order.begin() + std::ptrdiff_t(end));
    for (; begin < end; ++begin) smallest[order[begin]] = name;
  }
  return smallest;
}

}  // namespace haloscope::test
