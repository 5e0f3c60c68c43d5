#include "analysis/clusters/cluster_hierarchy.h"

#include <cstddef>

namespace haloscope::analysis {

namespace {

template <class T>
std::uint64_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

}  // namespace

std::uint64_t ClusterHierarchy::bytes() const {
  return bytes_of(tree.a) + bytes_of(tree.b) + bytes_of(tree.squared_weight) +
         bytes_of(tree.squared_core) + bytes_of(dendrogram.point_parent) +
         bytes_of(dendrogram.edge_parent) + bytes_of(dendrogram.size) + bytes_of(dendrogram.order) +
         bytes_of(dendrogram.between) + bytes_of(height) + bytes_of(weight);
}

std::vector<compute::hierarchy::LinkageRow> linkage_of(const ClusterHierarchy& hierarchy) {
  return compute::hierarchy::linkage_matrix(hierarchy.dendrogram, hierarchy.height);
}

CondensedRows condensed_rows(const compute::clusters::CondensedTree& tree) {
  const std::size_t points = tree.point_cluster.size(), clusters = tree.clusters();
  CondensedRows rows;
  const std::size_t all = points + (clusters > 0 ? clusters - 1 : 0);
  for (auto* column : {&rows.parent, &rows.child, &rows.size}) column->reserve(all);
  rows.lambda.reserve(all);
  const auto add = [&](std::uint32_t parent, std::size_t child, double lambda, std::uint32_t size) {
    rows.parent.push_back(std::int64_t(points + parent));
    rows.child.push_back(std::int64_t(child));
    rows.lambda.push_back(lambda);
    rows.size.push_back(std::int64_t(size));
  };
  for (std::size_t c = 1; c < clusters; ++c)
    add(tree.parent[c], points + c, tree.birth[c], tree.size[c]);
  for (std::size_t p = 0; p < points; ++p) add(tree.point_cluster[p], p, tree.point_lambda[p], 1);
  if (tree.point_weight.empty()) return rows;
  rows.weight.assign(tree.weight.begin() + 1, tree.weight.end());
  rows.weight.insert(rows.weight.end(), tree.point_weight.begin(), tree.point_weight.end());
  return rows;
}

}  // namespace haloscope::analysis
