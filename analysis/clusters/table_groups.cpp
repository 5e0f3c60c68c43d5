#include "analysis/clusters/table_groups.h"

#include "analysis/clusters/selection_columns.h"
#include "core/labels.h"
#include "io/catalogs/catalog_roles.h"

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

namespace {

class Groups {
 public:
  Groups(const io::PointTable& table, const TableLattice& lattice, const FoundClusters& clusters)
      : table_(table), lattice_(lattice), label_(clusters.label), count_(clusters.count()) {
    first_.assign(std::size_t(count_), 0);
    for (std::size_t row = label_.size(); row-- > 0;)
      if (label_[row] != Labels::kNone) first_[label_[row]] = row;
  }

  std::vector<double> mean(const std::vector<std::uint64_t>& members) const {
    std::vector<double> sum(std::size_t(count_) * table_.columns, 0);
    each([&](std::size_t row, std::size_t c, std::size_t axis) {
      sum[c * table_.columns + axis] += away(row, first_[c], axis);
    });
    for (std::size_t c = 0; c < count_; ++c)
      for (std::size_t axis = 0; axis < table_.columns; ++axis) {
        double& x = sum[c * table_.columns + axis];
        x = inside(table_.at(first_[c], axis) + x / double(members[c]));
      }
    return sum;
  }

  // Of the farthest member from these.
  std::vector<double> radius(const std::vector<double>& mean) const {
    std::vector<double> squared(std::size_t(count_), 0);
    for (std::size_t row = 0; row < label_.size(); ++row) {
      const std::uint32_t c = label_[row];
      if (c == Labels::kNone) continue;
      double sum = 0;
      for (std::size_t axis = 0; axis < table_.columns; ++axis) {
        const double d = nearest_image(table_.at(row, axis) - mean[c * table_.columns + axis]);
        sum += d * d;
      }
      squared[c] = std::max(squared[c], sum);
    }
    for (double& r : squared) r = std::sqrt(r);
    return squared;
  }

 private:
  double nearest_image(double apart) const {
    const Domain& domain = lattice_.axis.front();
    return domain.periodic ? apart - domain.side * std::round(apart / domain.side) : apart;
  }
  double inside(double x) const {
    const Domain& domain = lattice_.axis.front();
    return domain.periodic ? x - domain.side * std::floor(x / domain.side) : x;
  }
  double away(std::size_t row, std::size_t from, std::size_t axis) const {
    return nearest_image(table_.at(row, axis) - table_.at(from, axis));
  }
  template <class Use>
  void each(const Use& use) const {
    for (std::size_t row = 0; row < label_.size(); ++row)
      for (std::size_t axis = 0; label_[row] != Labels::kNone && axis < table_.columns; ++axis)
        use(row, std::size_t(label_[row]), axis);
  }

  const io::PointTable& table_;
  const TableLattice& lattice_;
  const std::vector<std::uint32_t>& label_;
  std::uint64_t count_;
  std::vector<std::size_t> first_;  // member of each cluster
};

}  // namespace

HaloCatalog catalog_of_rows(const io::PointTable& table, const TableLattice& lattice,
                            const FoundClusters& clusters) {
  HaloCatalog catalog;
  catalog.format = "haloscope";
  const Domain& domain = lattice.axis.front();
  catalog.periodic = domain.periodic;
  catalog.box_size = domain.periodic ? domain.side : 0;
  HaloTable& groups = catalog.tables.emplace_back();
  groups.name = "Group";
  groups.count = clusters.count();
  const auto add = [&](const char* name, const char* description) -> CatalogColumn& {
    CatalogColumn& column = groups.columns.emplace_back();
    column.name = name;
    column.description = description;
    return column;
  };
  CatalogColumn& length = add("GroupLen", "Number of members");
  length.scalar = ScalarType::Int32;
  length.values = clusters.members;
  const Groups measured(table, lattice, clusters);
  const std::vector<double> mean = measured.mean(clusters.members);
  CatalogColumn& place = add("GroupPos", "Mean position of the members");
  place.components = int(table.columns);
  place.values = mean;
  add("GroupFarthestRad", "Distance of the farthest member from GroupPos").values =
      measured.radius(mean);
  add_selection_columns(clusters, groups);
  io::assign_halo_roles(groups);
  return catalog;
}

}  // namespace haloscope::analysis
