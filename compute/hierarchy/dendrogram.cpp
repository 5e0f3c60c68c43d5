#include "compute/hierarchy/dendrogram.h"

#include "core/error.h"

#include <algorithm>
#include <string>

namespace haloscope::compute::hierarchy {

Dendrogram make_dendrogram(Device device, const RankedForest& forest) {
  if (forest.a.size() != forest.b.size())
    throw Error("its edges have " + std::to_string(forest.a.size()) + " first and " +
                    std::to_string(forest.b.size()) + " second points",
                "dendrogram");
  if (forest.points > kMostPoints)
    throw Error(std::to_string(forest.points) + " points are more than one can hold (2147483647)",
                "dendrogram", "choose fewer types or a region");
  for (const auto* ends : {&forest.a, &forest.b})
    for (const std::uint32_t point : *ends)
      if (point >= forest.points)
        throw Error(
            "an edge names point " + std::to_string(point) + " of " + std::to_string(forest.points),
            "dendrogram");
  const char* const remedy = "give the edges of a tree or forest";
  if (forest.a.size() >= std::max(forest.points, 1u))
    throw Error("its edges close a cycle", "dendrogram", remedy);
  for (std::size_t edge = 0; edge < forest.a.size(); ++edge)
    if (forest.a[edge] == forest.b[edge])
      throw Error("an edge joins point " + std::to_string(forest.a[edge]) + " with itself",
                  "dendrogram", remedy);
  return device.is_gpu() ? make_cuda_dendrogram(device, forest) : make_cpu_dendrogram(forest);
}

}  // namespace haloscope::compute::hierarchy
