#include "analysis/clusters/selection_columns.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace haloscope::analysis {

void add_selection_columns(const FoundClusters& clusters, HaloTable& table) {
  if (!clusters.condensed) return;
  CatalogColumn& persistence = table.columns.emplace_back();
  persistence.name = "GroupPersistence";
  persistence.description =
      "Stability of the cluster in parts of what it would be if all points stayed to the end, 0 to "
      "1";
  persistence.values = clusters.persistence;
  CatalogColumn& node = table.columns.emplace_back();
  node.name = "GroupNode";
  node.scalar = ScalarType::Int64;
  node.description = "Number of the cluster in Condensed/parent and child";
  std::vector<std::int64_t> numbers;
  for (const std::uint32_t one : clusters.node)
    numbers.push_back(std::int64_t(clusters.hierarchy->tree.points) + std::int64_t(one));
  node.values = std::move(numbers);
  if (clusters.weight.empty()) return;
  CatalogColumn& weight = table.columns.emplace_back();
  weight.name = "GroupWeight";
  weight.description = "Sum of the members' weights, in units of the mean weight of all points";
  weight.values = clusters.weight;
}

}  // namespace haloscope::analysis
