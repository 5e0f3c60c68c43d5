#include "app/viewer/panels/listed_columns.h"

#include "analysis/plot_units.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

namespace haloscope::app::viewer {

namespace {

// Titles of columns in the order in which astronomers ask for them.
constexpr std::array<std::string_view, 10> kUsualTitles{
    "Pos", "M_Crit200",   "Vmax",        "VelDisp",   "HalfmassRad",
    "Vel", "SpinBullock", "AxisRatioCA", "M_Crit500", "M_Mean200"};
// Rows that tell whether two columns are one; enough that two differ by then.
constexpr std::uint64_t kRowsCompared = 64;
// Dear ImGui's tables end at 64 columns.
constexpr std::size_t kMostColumns = 48;

std::size_t rank(const std::string& title) {
  return std::size_t(std::find(kUsualTitles.begin(), kUsualTitles.end(), title) -
                     kUsualTitles.begin());
}

// "Group_M_Crit200" → "M_Crit200"
std::string title_of(const HaloTable& table, const std::string& name) {
  std::string title = name;
  if (!table.name.empty() && title.starts_with(table.name)) title.erase(0, table.name.size());
  if (title.starts_with("_")) title.erase(0, 1);
  return title.empty() ? name : title;
}

bool is_listed(const analysis::Finding& finding, const CatalogColumn& column) {
  const std::uint64_t rows = std::min(finding.pieces, kRowsCompared);
  return std::any_of(finding.columns.begin(), finding.columns.end(), [&](const auto& listed) {
    for (std::uint64_t k = 0; k < rows; ++k) {
      // A radius of 0 is listed as none.
      const double value = listed.values[std::size_t(k)], stored = column.value(k);
      if (value != stored && !(value != value && stored == 0)) return false;
    }
    return true;
  });
}

// Spheres that are nowhere as dense as asked have mass, radius and spin 0.
bool is_of_sphere(const std::string& title) {
  return title.starts_with("M_") || title.starts_with("R_") || title.starts_with("Spin");
}

// Measured numbers alone: counts of members by type and places in lists of IDs are for programs.
bool is_shown(const analysis::Finding& finding, const CatalogColumn& column) {
  if (!std::holds_alternative<std::vector<double>>(column.values)) return false;
  if (column.components == 3) return true;
  return column.components == 1 && !is_listed(finding, column);
}

std::vector<ListedColumn> columns_as_stored(const analysis::Finding& finding) {
  std::vector<ListedColumn> columns;
  for (const analysis::PieceColumn& listed : finding.columns)
    columns.push_back({listed.title, listed.unit, listed.help, listed.whole, &listed, nullptr, 0});
  if (finding.catalog.tables.empty()) return columns;
  const HaloTable& table = finding.catalog.tables.front();
  if (table.count != finding.pieces) return columns;
  std::vector<std::pair<std::string, const CatalogColumn*>> stored;
  for (const CatalogColumn& column : table.columns)
    if (is_shown(finding, column)) stored.emplace_back(title_of(table, column.name), &column);
  std::stable_sort(stored.begin(), stored.end(),
                   [](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
  constexpr std::array kAxes{" x", " y", " z"};
  for (const auto& [title, column] : stored) {
    if (columns.size() + std::size_t(column->components) > kMostColumns) break;
    for (int c = 0; c < column->components; ++c)
      columns.push_back({column->components == 3 ? title + kAxes[std::size_t(c)] : title,
                         column->unit, column->description.empty() ? "" : column->description + ".",
                         false, nullptr, column, c, is_of_sphere(title)});
  }
  return columns;
}

}  // namespace

std::vector<ListedColumn> listed_columns(const analysis::Finding& finding) {
  std::vector<ListedColumn> columns = columns_as_stored(finding);
  for (ListedColumn& column : columns) {
    auto [factor, unit] = analysis::without_power(column.unit);
    column.factor = factor;
    column.unit = std::move(unit);
  }
  return columns;
}

}  // namespace haloscope::app::viewer
