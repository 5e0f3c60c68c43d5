#include "analysis/catalogs/catalog_report.h"

#include "core/atomic_file.h"
#include "io/catalogs/tree_tables.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace haloscope::analysis {

namespace {

using nlohmann::json;

const char* type_word(ScalarType type) {
  static const char* const words[] = {"float32", "float64", "int32", "uint32", "int64", "uint64"};
  return words[int(type)];
}

const char* role_word(HaloRole role) {
  static const char* const words[] = {"ID",   "host",   "position",    "velocity",
                                      "mass", "radius", "member count"};
  return words[int(role)];
}

std::string role_of(const HaloTable& table, const std::string& column) {
  for (const auto& [role, names] : table.roles)
    if (std::find(names.begin(), names.end(), column) != names.end()) return role_word(role);
  return {};
}

std::string cell_text(const CatalogColumn& column, std::uint64_t row, int component) {
  const auto at = std::size_t(row) * std::size_t(column.components) + std::size_t(component);
  if (std::holds_alternative<std::vector<double>>(column.values))
    return fmt::format("{:.6g}", column.value(row, component));
  return std::visit([at](const auto& values) { return fmt::format("{}", values[at]); },
                    column.values);
}

// Of IDs that are written as real numbers no digit may be lost.
std::string exact_text(const CatalogColumn& column, std::uint64_t row) {
  const std::size_t at = std::size_t(row) * std::size_t(column.components);
  return std::visit([at](const auto& values) { return fmt::format("{}", values[at]); },
                    column.values);
}

json cell_json(const CatalogColumn& column, std::uint64_t row) {
  const auto n = std::size_t(column.components);
  return std::visit(
      [&](const auto& values) -> json {
        if (n == 1) return values[row];
        json list = json::array();
        for (std::size_t k = 0; k < n; ++k) list.push_back(values[row * n + k]);
        return list;
      },
      column.values);
}

bool has_halos(const HaloCatalog& catalog) {
  return std::any_of(catalog.tables.begin(), catalog.tables.end(),
                     [](const HaloTable& table) { return table.count > 0; });
}

std::string column_text(const HaloTable& table, const CatalogColumn& column) {
  const std::string role = role_of(table, column.name);
  return fmt::format("{}{}{}{}", column.name,
                     column.components > 1 ? fmt::format("[{}]", column.components) : std::string(),
                     column.unit.empty() ? "" : "  " + column.unit,
                     role.empty() ? "" : "  (" + role + ")");
}

std::string ratio_text(double first, double second) {
  return first > 0 ? fmt::format("{:.3f}", second / first) : std::string("-");
}

// Counts, and where both boxes are known densities, whose ratio tells more than that of counts.
std::string mass_function_text(const CatalogComparison& c) {
  std::string text = fmt::format("\n{:>12}  {:>9}  {:>9}", "mass above", "first", "second");
  const std::string per = "1/" + c.volume_unit;
  if (c.volumes) text += fmt::format("  {:>11}  {:>11}", "n first", "n second");
  text += fmt::format("  second/first\n{:>12}", c.mass_unit);
  if (c.volumes) text += fmt::format("  {:>9}  {:>9}  {:>11}  {:>11}", "", "", per, per);
  for (const auto& bin : c.mass_function) {
    text += fmt::format("\n{:>12.4g}  {:>9}  {:>9}", bin.mass, bin.first, bin.second);
    auto n_first = double(bin.first), n_second = double(bin.second);
    if (c.volumes) {
      n_first /= (*c.volumes)[0];
      n_second /= (*c.volumes)[1];
      text += fmt::format("  {:>11.4g}  {:>11.4g}", n_first, n_second);
    }
    text += "  " + ratio_text(n_first, n_second);
  }
  return text;
}

// What was compared and what was not: equal numbers may be of other particles.
std::string members_text(const CatalogComparison& c) {
  std::string text;
  if (c.equal_counts)
    text += fmt::format("\nmembers   as many in {} of {} pairs", *c.equal_counts, c.pairs.size());
  if (c.members) {
    std::vector<std::string> types;
    for (const int type : c.members->types) types.push_back(type_name(type));
    text += fmt::format(
        "\nIDs       the very same in {} of {} pairs ({}); of the IDs in either halo in both: "
        "median {:.4f}, 90 % of pairs at least {:.4f}, all at least {:.4f}",
        c.members->same, c.pairs.size(), fmt::join(types, ", "), c.members->median,
        c.members->tenth, c.members->least);
  } else if (c.equal_counts) {
    text += ", by their numbers: not both catalogs list IDs of members";
  }
  return text;
}

json members_json(const MemberComparison& members) {
  return {{"types", members.types},
          {"same", members.same},
          {"shared_least", members.least},
          {"shared_tenth", members.tenth},
          {"shared_median", members.median}};
}

}  // namespace

CatalogWords words_of(const HaloCatalog& catalog) {
  if (catalog.format.starts_with(io::kClustersFormat)) return {"cluster", "clusters"};
  if (catalog.format.starts_with(io::kPeaksFormat)) return {"peak", "peaks"};
  if (catalog.format.starts_with(io::kVoidsFormat)) return {"void", "voids"};
  return {};
}

std::string catalog_text(const HaloCatalog& catalog, bool with_columns) {
  std::string text = fmt::format("format    {}\nfiles     {}", catalog.format,
                                 catalog.files.empty() ? "" : catalog.files.front());
  if (catalog.files.size() > 1) text += fmt::format(" and {} more", catalog.files.size() - 1);
  const CatalogColumn* position = nullptr;
  for (const auto& table : catalog.tables)
    if (!position) position = table.find(HaloRole::Position);
  // Codes that find no halo write no columns either; the catalog has code units then.
  std::string unit = position ? position->unit : std::string();
  if (!position && !has_halos(catalog) && !catalog.format.starts_with(io::kClustersFormat))
    unit = io::length_unit(catalog.units);
  text += catalog.box_size > 0
              ? fmt::format("\nbox       {:g}{}{}, {}", catalog.box_size, unit.empty() ? "" : " ",
                            unit, catalog.periodic ? "periodic" : "not periodic")
              : std::string("\nbox       not known");
  const auto& c = catalog.cosmology;
  if (c.redshift)
    text += fmt::format("\nredshift  {:.4g}", std::abs(*c.redshift) < 1e-9 ? 0 : *c.redshift);
  std::string cosmology;
  if (catalog.hubble_known) cosmology += fmt::format("h {:g}", c.hubble_param);
  if (c.omega_matter > 0)
    cosmology += fmt::format("{}omega_m {:g}, omega_lambda {:g}", cosmology.empty() ? "" : ", ",
                             c.omega_matter, c.omega_lambda);
  if (!cosmology.empty()) text += (c.redshift ? " (" : "\ncosmology (") + cosmology + ")";
  for (const auto& table : catalog.tables) {
    text += fmt::format("\ntable     {}: {} {}", table.name, table.count,
                        words_of(catalog).of(table.count));
    if (!with_columns) continue;
    for (const auto& column : table.columns) text += "\n            " + column_text(table, column);
  }
  for (const auto& sentence : catalog.assumed) text += "\nassumed   " + sentence;
  return text;
}

json catalog_json(const HaloCatalog& catalog) {
  json tables = json::array();
  for (const auto& table : catalog.tables) {
    json columns = json::array();
    for (const auto& column : table.columns) {
      const std::string role = role_of(table, column.name);
      columns.push_back({{"name", column.name},
                         {"unit", column.unit},
                         {"components", column.components},
                         {"type", type_word(column.scalar)},
                         {"role", role.empty() ? json(nullptr) : json(role)}});
    }
    tables.push_back({{"name", table.name}, {"count", table.count}, {"columns", columns}});
  }
  const auto& c = catalog.cosmology;
  return {{"format", catalog.format},
          {"files", catalog.files},
          {"box_size", catalog.box_size > 0 ? json(catalog.box_size) : json(nullptr)},
          {"periodic", catalog.periodic},
          {"redshift", c.redshift ? json(*c.redshift) : json(nullptr)},
          {"cosmology",
           {{"scale_factor", c.scale_factor},
            {"hubble_param", catalog.hubble_known ? json(c.hubble_param) : json(nullptr)},
            {"omega_matter", c.omega_matter},
            {"omega_lambda", c.omega_lambda}}},
          {"tables", tables},
          {"assumed", catalog.assumed}};
}

std::string rows_text(const HaloTable& table, const std::vector<const CatalogColumn*>& columns,
                      const std::vector<std::uint64_t>& rows) {
  // Cells by column: heading, unit, values.
  std::vector<std::vector<std::string>> cells{{"row", ""}};
  for (const auto row : rows) cells.back().push_back(std::to_string(row));
  for (const CatalogColumn* column : columns)
    for (int k = 0; k < column->components; ++k) {
      cells.push_back(
          {column->components > 1 ? fmt::format("{}[{}]", column->name, k) : column->name,
           column->unit});
      for (const auto row : rows) cells.back().push_back(cell_text(*column, row, k));
    }
  std::string text = table.name;
  for (std::size_t line = 0; line < rows.size() + 2; ++line) {
    text += '\n';
    for (std::size_t c = 0; c < cells.size(); ++c) {
      std::size_t width = 0;
      for (const auto& cell : cells[c]) width = std::max(width, cell.size());
      text += fmt::format("{}{:>{}}", c ? "  " : "", cells[c][line], width);
    }
  }
  return text;
}

json rows_json(const std::vector<const CatalogColumn*>& columns,
               const std::vector<std::uint64_t>& rows) {
  json list = json::array();
  for (const auto row : rows) {
    json one{{"row", row}};
    for (const CatalogColumn* column : columns) one[column->name] = cell_json(*column, row);
    list.push_back(std::move(one));
  }
  return list;
}

std::string comparison_text(const CatalogComparison& c) {
  const auto percent = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100 * double(part) / double(whole);
  };
  const std::uint64_t pairs = c.pairs.size(), near = pairs - c.by_members;
  const std::string reach =
      c.options.distance ? fmt::format("{:g} {}", *c.options.distance, c.length_unit)
                         : fmt::format("{:g} of the larger radius", c.options.radius_fraction);
  std::string text = fmt::format(
      "halos     {} and {}\nmatched   {} by position, each nearest to the other within {} ({:.1f} "
      "% "
      "of the first, {:.1f} % of the second)",
      c.first_count, c.second_count, near, reach, percent(near, c.first_count),
      percent(near, c.second_count));
  if (c.by_members > 0)
    text += fmt::format(
        "\n          {} more by their members, most of which each has in common with the other "
        "(in all {:.1f} % of the first, {:.1f} % of the second)",
        c.by_members, percent(pairs, c.first_count), percent(pairs, c.second_count));
  if (pairs > 0) {
    text += fmt::format("\nmass      second / first ({} / {}): median {:.4f}, scatter {:.4f} dex",
                        c.second_mass, c.first_mass, c.mass_ratio, c.mass_scatter_dex);
    text +=
        fmt::format("; {} pair{} beyond a factor of 2", c.far_masses, c.far_masses == 1 ? "" : "s");
    text += fmt::format("\noffset    median {:.4g}, 90 % within {:.4g}, largest {:.4g} {}",
                        c.offset_median, c.offset_90, c.offset_largest, c.length_unit);
    text += members_text(c);
  }
  if (!c.mass_function.empty()) text += mass_function_text(c);
  for (const auto& sentence : c.assumed) text += "\nassumed   " + sentence;
  return text;
}

json comparison_json(const CatalogComparison& c) {
  json bins = json::array();
  for (const auto& bin : c.mass_function)
    bins.push_back({{"mass", bin.mass}, {"first", bin.first}, {"second", bin.second}});
  const bool any = !c.pairs.empty();
  return {{"count", {c.first_count, c.second_count}},
          {"matched", c.pairs.size()},
          {"matched_by_members", c.by_members},
          {"mass_columns", {c.first_mass, c.second_mass}},
          {"mass_unit", c.mass_unit},
          {"length_unit", c.length_unit},
          {"mass_ratio", any ? json(c.mass_ratio) : json(nullptr)},
          {"mass_scatter_dex", any ? json(c.mass_scatter_dex) : json(nullptr)},
          {"beyond_factor_2", c.far_masses},
          {"offset_median", any ? json(c.offset_median) : json(nullptr)},
          {"offset_90", any ? json(c.offset_90) : json(nullptr)},
          {"offset_largest", any ? json(c.offset_largest) : json(nullptr)},
          {"equal_member_counts", c.equal_counts ? json(*c.equal_counts) : json(nullptr)},
          {"member_ids", c.members && any ? members_json(*c.members) : json(nullptr)},
          {"mass_function", bins},
          {"volumes", c.volumes ? json(*c.volumes) : json(nullptr)},
          {"volume_unit", c.volumes ? json(c.volume_unit) : json(nullptr)},
          {"assumed", c.assumed}};
}

std::string pairs_csv(const CatalogComparison& comparison, const HaloTable& first,
                      const HaloTable& second) {
  const CatalogColumn *first_id = first.find(HaloRole::Id), *second_id = second.find(HaloRole::Id);
  const bool ids = first_id && second_id;
  std::string text = fmt::format(
      "row_first,row_second,distance [{}],distance_in_radii{},mass_first [{}],"
      "mass_second [{}],mass_second_over_first,matched_by\n",
      comparison.length_unit, ids ? ",id_first,id_second" : "", comparison.mass_unit,
      comparison.mass_unit);
  for (const auto& pair : comparison.pairs) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{}", pair.first, pair.second, pair.distance,
                   pair.radii);
    if (ids)
      text += "," + exact_text(*first_id, pair.first) + "," + exact_text(*second_id, pair.second);
    fmt::format_to(std::back_inserter(text), ",{},{},{},{}\n", pair.first_mass, pair.second_mass,
                   pair.second_mass / pair.first_mass, pair.by_members ? "members" : "position");
  }
  return text;
}

void write_pairs(const std::string& path, const CatalogComparison& comparison,
                 const HaloTable& first, const HaloTable& second) {
  AtomicFile file(path);
  const std::string text =
      "# haloscope pairs of two catalogs\n" + pairs_csv(comparison, first, second);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace haloscope::analysis
