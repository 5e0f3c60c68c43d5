#include "compute/hierarchy/linkage.h"

#include "core/check.h"
#include "core/error.h"

#include <string>
#include <utility>

namespace haloscope::compute::hierarchy {

std::vector<LinkageRow> linkage_matrix(const Dendrogram& dendrogram,
                                       const std::vector<double>& height) {
  const std::size_t points = dendrogram.point_parent.size(), edges = dendrogram.edge_parent.size();
  HALOSCOPE_CHECK(height.size(), ==, edges);
  if (edges + 1 < points)
    throw Error("the points are " + std::to_string(points - edges) + " trees, which nothing merges",
                "linkage matrix", "join them, or cut each tree by itself");
  constexpr double kOpen = -1;
  std::vector<LinkageRow> rows(edges);
  for (std::size_t rank = 0; rank < edges; ++rank)
    rows[rank] = {kOpen, kOpen, height[rank], double(dendrogram.size[rank])};
  // By ascending id, so that the first one is the smaller.
  const auto add = [&](std::uint32_t parent, std::size_t id) {
    if (parent == kNone) return;
    LinkageRow& row = rows[parent];
    (row[0] == kOpen ? row[0] : row[1]) = double(id);
  };
  for (std::size_t i = 0; i < points; ++i) add(dendrogram.point_parent[i], i);
  for (std::size_t rank = 0; rank < edges; ++rank) add(dendrogram.edge_parent[rank], points + rank);
  return rows;
}

}  // namespace haloscope::compute::hierarchy
