#include "analysis/topology/peaks_catalog.h"

#include "core/unit_words.h"
#include "io/catalogs/catalog_roles.h"

#include <cmath>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace haloscope::analysis {

namespace {

class GridColumns {
 public:
  GridColumns(const GridTree& tree, const Structures& found, HaloTable& table)
      : tree_(tree),
        found_(found),
        table_(table),
        is_super_(tree.levels() == compute::topology::Levels::Super) {}

  // Of GroupPos or GroupPeakPos.
  const char* place_in_words() const {
    return is_super_ ? "Middle of the peak's cell" : "Middle of the minimum's cell";
  }

  // `like`: the column whose unit it has; null: none.
  template <class T>
  CatalogColumn& add(const char* name, const char* description, std::vector<T> values,
                     const std::string& like = {}) {
    CatalogColumn column;
    if (const CatalogColumn* model = table_.find(like)) {
      column.unit = model->unit;
      column.scaling = model->scaling;
    }
    column.name = name;
    column.description = description;
    if constexpr (std::is_same_v<T, std::int64_t>) column.scalar = ScalarType::Int64;
    if constexpr (std::is_same_v<T, std::uint64_t>) column.scalar = ScalarType::UInt64;
    column.values = std::move(values);
    return table_.columns.emplace_back(std::move(column));
  }

  template <class F>
  std::vector<double> of_branches(const F& value) const {
    std::vector<double> values;
    for (const std::uint32_t b : found_.branch) values.push_back(value(tree_, b));
    return values;
  }

  std::vector<double> places() const {
    std::vector<double> values;
    for (const std::uint32_t b : found_.branch)
      for (const double x : middle_of(tree_.grid(), tree_.branches().maximum[b]))
        values.push_back(x);
    return values;
  }

  void add_values() {
    const std::string& unit = tree_.grid().unit;
    add("GroupPeakValue",
        is_super_ ? "Value of the grid at the peak" : "Value of the grid at the minimum",
        of_branches(peak_value))
        .unit = unit;
    add("GroupSaddleValue", "Value at the saddle where it joins its parent; NaN: it joins none",
        of_branches(saddle_value))
        .unit = unit;
    add("GroupPersistence", "Difference of both; infinite: it joins none",
        of_branches(persistence_of))
        .unit = unit;
    std::vector<std::int64_t> parents;
    for (const std::uint32_t parent : found_.parent)
      parents.push_back(parent == compute::topology::kNoBranch ? -1 : std::int64_t(parent));
    add("GroupParent", "The row of what it joins there, counted from 0; -1: none",
        std::move(parents));
    add("GroupBranch", "Its row in Pairs, if all are written, and in Tree/Branch",
        std::vector<std::int64_t>(found_.branch.begin(), found_.branch.end()));
  }

  std::vector<double> volumes() const {
    const double one = cell_volume(tree_.grid());
    std::vector<double> values;
    for (const std::uint64_t cells : found_.cells) values.push_back(double(cells) * one);
    return values;
  }

  void add_radii() {
    std::vector<double> radii;
    for (const std::uint64_t cells : found_.cells)
      radii.push_back(radius_of_cells(tree_.grid(), cells));
    add("GroupRadius", "Radius of a sphere as large as its cells", std::move(radii), "GroupPos");
  }

  std::vector<double> sums(double factor) const {
    std::vector<double> values;
    for (const double sum : found_.sum) values.push_back(sum * factor);
    return values;
  }

 private:
  const GridTree& tree_;
  const Structures& found_;
  HaloTable& table_;
  bool is_super_;
};

// Rows of a column with `components` numbers each, put where `row` says; zeros elsewhere.
template <class T>
std::vector<T> spread(const std::vector<T>& values, std::size_t components, std::size_t rows,
                      const std::vector<std::uint32_t>& row) {
  std::vector<T> all(rows * components, T(0));
  for (std::size_t k = 0; k < row.size(); ++k)
    for (std::size_t c = 0; c < components; ++c)
      all[row[k] * components + c] = values[k * components + c];
  return all;
}

}  // namespace

void add_grid_columns(const GridTree& tree, const Structures& found, double mass_of_one,
                      HaloTable& table) {
  GridColumns columns(tree, found, table);
  columns.add("GroupPeakPos", columns.place_in_words(), columns.places(), "GroupPos").components =
      3;
  columns.add_values();
  columns.add("GroupCells", "Number of its cells", found.cells);
  const std::string length = table.find("GroupPeakPos")->unit;
  columns.add("GroupVolume", "Volume of its cells", columns.volumes()).unit = unit_power(length, 3);
  if (mass_of_one > 0)
    columns.add("GroupGridMass", "Mass in its cells", columns.sums(mass_of_one), "GroupMass");
  else
    columns.add("GroupGridSum", "Sum of the values of its cells", columns.sums(1)).unit =
        tree.is_log() ? std::string() : tree.grid().unit;
}

HaloCatalog catalog_of_grid(const GridTree& tree, const Structures& found) {
  HaloCatalog catalog;
  catalog.format = "haloscope";
  const Grid& grid = tree.grid();
  const double side = grid.spacing[0] * double(grid.cells[0]);
  bool cube = true;
  for (std::size_t a = 0; a < 3; ++a)
    cube = cube && tree.periodic()[a] &&
           std::fabs(grid.spacing[a] * double(grid.cells[a]) - side) <= 1e-9 * side;
  catalog.periodic = cube;
  catalog.box_size = cube ? side : 0;
  HaloTable& table = catalog.tables.emplace_back();
  table.name = "Group";
  table.count = found.count();
  GridColumns columns(tree, found, table);
  columns.add("GroupLen", "Number of its cells", found.cells);
  CatalogColumn& place = columns.add("GroupPos", columns.place_in_words(), columns.places());
  place.components = 3;
  place.unit = grid.length_unit;
  columns.add("GroupMass", "Sum of the values of its cells", columns.sums(1)).unit =
      tree.is_log() ? std::string() : grid.unit;
  columns.add("GroupVolume", "Volume of its cells", columns.volumes()).unit =
      unit_power(grid.length_unit, 3);
  columns.add_radii();
  columns.add_values();
  io::assign_halo_roles(table);
  return catalog;
}

void place_at_minima(const GridTree& tree, const Structures& found, HaloTable& table) {
  std::erase_if(table.columns, [](const CatalogColumn& column) {
    static const std::set<std::string> of_member{
        "GroupIDMostbound", "GroupPotential", "GroupHalfmassRad", "GroupFarthestRad",
        "GroupVmax",        "GroupVmaxRad",   "GroupSpin",        "GroupSpinBullock"};
    return of_member.count(column.name) > 0 || column.name.starts_with("Group_M_") ||
           column.name.starts_with("Group_R_");
  });
  GridColumns columns(tree, found, table);
  columns.add_radii();
  for (CatalogColumn& column : table.columns) {
    if (column.name != "GroupPos") continue;
    column.values = columns.places();
    column.description = columns.place_in_words();
  }
  table.roles.clear();
  io::assign_halo_roles(table);
}

void add_empty_rows(const GridTree& tree, const Structures& found,
                    const std::vector<std::uint32_t>& measured, FoundCatalog& catalog) {
  HaloTable& table = catalog.catalog.tables.front();
  const std::size_t rows = found.count();
  if (table.count == rows) return;
  for (CatalogColumn& column : table.columns)
    std::visit(
        [&](auto& values) {
          values = spread(values, std::size_t(column.components), rows, measured);
        },
        column.values);
  table.count = rows;
  for (auto* places : {&catalog.members.offset, &catalog.members.length})
    for (auto& [type, values] : *places) values = spread(values, 1, rows, measured);
  std::vector<bool> has_members(rows, false);
  for (const std::uint32_t row : measured) has_members[row] = true;
  for (CatalogColumn& column : table.columns) {
    if (column.name != "GroupPos" && column.name != "GroupCM") continue;
    auto& values = std::get<std::vector<double>>(column.values);
    for (std::size_t k = 0; k < rows; ++k) {
      if (has_members[k]) continue;
      const Vec peak = middle_of(tree.grid(), tree.branches().maximum[found.branch[k]]);
      for (std::size_t a = 0; a < 3; ++a) values[k * 3 + a] = peak[a];
    }
  }
}

}  // namespace haloscope::analysis
