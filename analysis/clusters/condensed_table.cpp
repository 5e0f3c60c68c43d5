#include "analysis/clusters/condensed_table.h"

#include "analysis/clusters/cluster_moments.h"
#include "core/labels.h"
#include "io/catalogs/catalog_roles.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

using compute::clusters::CondensedTree;
using compute::hierarchy::kNone;

class CondensedTable {
 public:
  CondensedTable(const ClusterSearch& search, const SnapshotInfo& info, const HaloTable& groups)
      : search_(search),
        tree_(*search.clusters.condensed),
        groups_(groups),
        clusters_(tree_.clusters()),
        moments_(search, info) {
    table_.name = "Subhalo";
    table_.count = clusters_;
  }

  HaloTable make() {
    add_numbers("Len", "Number of members", ScalarType::Int32, 1,
                std::vector<std::int64_t>(tree_.size.begin(), tree_.size.end()));
    add_numbers("LenType", "Number of members of each type", ScalarType::Int32, moments_.types(),
                moments_.members_by_type());
    add_places_in_tree();
    add("Mass", "GroupMass", "Mass of all members", 1, moments_.mass());
    add("MassType", "GroupMass", "Mass of the members of each type", moments_.types(),
        moments_.mass_by_type());
    add("CM", "GroupCM", "Center of mass", 3, moments_.center_of_mass());
    add("RmsRad", "GroupCM", "Root of the mean squared distance from the center, weighted by mass",
        1, moments_.rms_radius());
    if (moments_.has_velocities() && groups_.find("GroupVelDisp")) {
      add("Vel", "GroupVelDisp", "Mean peculiar velocity weighted by mass", 3, moments_.velocity());
      add("VelDisp", "GroupVelDisp",
          "Dispersion of peculiar velocities in one dimension, weighted by mass", 1,
          moments_.velocity_dispersion());
    }
    io::assign_halo_roles(table_);
    return std::move(table_);
  }

 private:
  CatalogColumn& column(const std::string& name, const std::string& description) {
    CatalogColumn& one = table_.columns.emplace_back();
    one.name = table_.name + name;
    one.description = description;
    return one;
  }
  // `like`: the column of the selected clusters whose unit it has; empty: none.
  void add(const std::string& name, const std::string& like, const std::string& description,
           int components, std::vector<double> values) {
    CatalogColumn& one = column(name, description);
    if (const CatalogColumn* of_groups = groups_.find(like)) {
      one.unit = of_groups->unit;
      one.scaling = of_groups->scaling;
    }
    one.components = components;
    one.values = std::move(values);
  }
  void add_numbers(const std::string& name, const std::string& description, ScalarType scalar,
                   int components, std::vector<std::int64_t> values) {
    CatalogColumn& one = column(name, description);
    one.scalar = scalar;
    one.components = components;
    one.values = std::move(values);
  }

  void add_places_in_tree() {
    std::vector<std::int64_t> parent(clusters_, -1), depth(clusters_, 0), group(clusters_, -1);
    const std::vector<double>& height = search_.clusters.hierarchy->height;
    std::vector<double> birth(clusters_, height.empty() ? 0 : height.back());
    for (std::size_t k = 0; k < search_.clusters.node.size(); ++k)
      group[search_.clusters.node[k]] = std::int64_t(k);
    for (std::size_t c = 1; c < clusters_; ++c) {
      const std::size_t above = tree_.parent[c];
      parent[c] = std::int64_t(above);
      depth[c] = depth[above] + 1;
      if (group[c] < 0) group[c] = group[above];
      birth[c] = 1 / tree_.birth[c];
    }
    add_numbers("Parent", "Row of the cluster that it splits off; -1: it holds all particles",
                ScalarType::Int64, 1, std::move(parent));
    add_numbers("Depth", "Clusters around it", ScalarType::Int32, 1, std::move(depth));
    add_numbers("GroupNr", "The selected cluster that it is or lies in, a row of Group; -1: none",
                ScalarType::Int64, 1, std::move(group));
    CatalogColumn& born =
        column("Birth", "Height at which it splits off, of all particles that of the last merge");
    born.unit = search_.clusters.hierarchy->length_unit;
    born.values = std::move(birth);
    add("Persistence", {},
        "Its own stability in parts of what it would be if all members stayed to the end, 0 to 1",
        1, persistence());
  }

  std::vector<double> persistence() const {
    std::vector<double> values = compute::clusters::totals_of(tree_).stability;
    double highest = 0;
    for (const double lambda : tree_.point_lambda) highest = std::max(highest, lambda);
    for (std::size_t c = 0; c < clusters_; ++c) {
      const bool told = highest > 0 && std::isfinite(highest);
      values[c] = told ? values[c] / (tree_.weight_of(c) * highest) : 1;
    }
    return values;
  }

  const ClusterSearch& search_;
  const CondensedTree& tree_;
  const HaloTable& groups_;
  std::size_t clusters_;
  ClusterMoments moments_;
  HaloTable table_;
};

}  // namespace

HaloTable condensed_table(const ClusterSearch& search, const SnapshotInfo& info,
                          const HaloTable& groups) {
  return CondensedTable(search, info, groups).make();
}

}  // namespace haloscope::analysis
