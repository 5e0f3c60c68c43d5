#include "compute/topology/triplets.h"

#include "compute/topology/merge_tree.h"
#include "core/error.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>

namespace haloscope::compute::topology {

Triplets make_triplets(Device device, const ScalarGrid& grid, const TreeSettings& settings,
                       Progress& progress, Timings* timings) {
  require_grid(grid, settings);
  if (grid.shape.count() > kMostCells)
    throw Error(std::to_string(grid.shape.count()) + " cells are more than triplets number (" +
                    std::to_string(kMostCells) + ")",
                "grid", "take the reduced method, which has blocks");
  return device.is_gpu() ? make_cuda_triplets(device, grid, settings, progress, timings)
                         : make_cpu_triplets(grid, settings, progress, timings);
}

namespace {

template <class T>
Branches branches_of_values(const Triplets& triplets, std::span<const T> values, Levels levels) {
  Branches branches;
  branches.kind = kKindOf<T>;
  std::vector<std::uint32_t> maxima;
  for (std::uint32_t u = 0; u < triplets.top.size(); ++u)
    if (triplets.top[u] != kNoBranch && (triplets.saddle[u] != u || triplets.top[u] == u))
      maxima.push_back(u);
  // Of equal values the smaller index comes first already.
  std::stable_sort(maxima.begin(), maxima.end(), [&](std::uint32_t a, std::uint32_t b) {
    return levels == Levels::Super ? values[a] > values[b] : values[a] < values[b];
  });
  std::vector<std::uint32_t> number(triplets.top.size(), kNoBranch);
  for (std::uint32_t k = 0; k < maxima.size(); ++k) number[maxima[k]] = k;
  for (const std::uint32_t u : maxima) {
    const bool ends = triplets.top[u] != u;
    branches.maximum.push_back(u);
    branches.saddle.push_back(ends ? triplets.saddle[u] : kNoCell);
    branches.parent.push_back(ends ? number[triplets.top[u]] : kNoBranch);
    branches.across.push_back(kNoBranch);
    branches.birth.push_back(ordered_bits(values[u]));
    branches.death.push_back(ends ? ordered_bits(values[triplets.saddle[u]]) : 0);
  }
  return branches;
}

}  // namespace

Branches branches_of(const Triplets& triplets, const ScalarGrid& grid, Levels levels) {
  return std::visit(
      [&](const auto& values) { return branches_of_values(triplets, values, levels); },
      grid.values);
}

}  // namespace haloscope::compute::topology
