#include "core/error.h"
#include "io/catalogs/catalog_roles.h"
#include "io/catalogs/catalog_units.h"
#include "io/catalogs/text_catalogs.h"
#include "io/catalogs/text_column.h"
#include "io/catalogs/tree_tables.h"
#include "io/text/headings.h"
#include "io/text/length_words.h"
#include "io/text/solar_mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::io {

namespace {

CellDelimiter delimiter_of(const std::string& line) {
  for (const auto delimiter : {CellDelimiter::Comma, CellDelimiter::Semicolon, CellDelimiter::Tab})
    if (line.find(char(delimiter)) != std::string::npos) return delimiter;
  return CellDelimiter::Blanks;
}

bool all_words(const std::vector<std::string>& words) {
  return !words.empty() && std::none_of(words.begin(), words.end(), [](const std::string& word) {
    return !word.empty() && parse_text_number(word).has_value();
  });
}

std::string unquoted(const std::string& name) {
  const bool quoted = name.size() > 1 && (name.front() == '"' || name.front() == '\'') &&
                      name.back() == name.front();
  return quoted ? name.substr(1, name.size() - 2) : name;
}

// Names in the first row, or in the last comment before the numbers.
bool find_names(const TextHead& head, TextColumns& columns) {
  columns.delimiter = delimiter_of(head.first_line);
  const std::size_t first = split_line(head.first_line, columns.delimiter).size();
  const std::size_t second = split_line(head.second_line, columns.delimiter).size();
  columns.names = split_headings(head.first_line, columns.delimiter, second);
  if (all_words(columns.names)) {
    columns.names_in_first_row = true;
    return columns.names.size() > 1;
  }
  if (head.comments.empty()) return false;
  columns.names = split_headings(head.comments.back(), columns.delimiter, first);
  return columns.names.size() == first && first > 1 && all_words(columns.names);
}

std::optional<double> first_of(const std::multimap<std::string, std::string>& values,
                               std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const auto found = values.find(key); found != values.end())
      if (const auto number = leading_number(found->second)) return number;
  return {};
}

// The box in the positions' unit; nothing where that cannot be told.
std::optional<double> box_in_unit(const std::string& value, const CatalogColumn* position) {
  const auto size = leading_number(value);
  if (!size || !(*size > 0)) return {};
  // A unit may begin with a number of its own: "1 1.54e+26 cm".
  auto end = value.find_first_not_of(" ");
  end = value.find_first_not_of("0123456789.eE+-", end);
  if (end != std::string::npos) end = value.find_first_not_of(" ", end);
  const auto unit = end == std::string::npos ? std::nullopt : parse_unit(value.substr(end));
  if (!unit || !position || !position->scaling) return size;
  if (unit->a != position->scaling->a || unit->h != position->scaling->h) return {};
  return *size * unit->to_cgs / position->scaling->to_cgs;
}

}  // namespace

void adopt_comment_facts(const std::multimap<std::string, std::string>& values,
                         HaloCatalog& catalog, const HaloTable& table) {
  auto& cosmology = catalog.cosmology;
  if (const auto a = first_of(values, {"a", "scale_factor", "scale"}); a && *a > 0 && *a <= 1e3) {
    cosmology.scale_factor = catalog.time = *a;
    cosmology.redshift = 1 / *a - 1;
  }
  if (const auto z = first_of(values, {"redshift", "z"}); z && *z > -1) {
    cosmology.redshift = *z;
    cosmology.scale_factor = 1 / (1 + *z);
  }
  cosmology.omega_matter =
      first_of(values, {"om", "omega_m", "omega_matter"}).value_or(cosmology.omega_matter);
  cosmology.omega_lambda =
      first_of(values, {"ol", "omega_l", "omega_lambda"}).value_or(cosmology.omega_lambda);
  if (const auto h = first_of(values, {"h", "h0", "hubble_param"}); h && *h > 0) {
    cosmology.hubble_param = *h > 20 ? *h / 100 : *h;
    catalog.hubble_known = true;
  }
  for (const char* key : {"box_size", "box size", "full box size", "boxsize", "box"}) {
    const auto found = values.find(key);
    if (found == values.end()) continue;
    const auto box = box_in_unit(found->second, table.find(HaloRole::Position));
    if (!box) continue;
    catalog.box_size = *box;
    const auto periodic = values.find("periodic");
    catalog.periodic = periodic == values.end() || periodic->second != "no";
    if (periodic == values.end())
      catalog.assumed.push_back("The box is taken as periodic because its size is given.");
    return;
  }
}

void finish_table(TextRows rows, HaloCatalog& catalog) {
  for (auto& sentence : rows.left_out) catalog.assumed.push_back(std::move(sentence));
  assign_halo_roles(rows.table);
  const std::uint64_t dropped = drop_unusable_rows(rows.table);
  if (dropped > 0)
    catalog.assumed.push_back(
        fmt::format("{} row{} left out: position or mass is not a finite number.", dropped,
                    dropped == 1 ? " is" : "s are"));
  const CatalogColumn* id = rows.table.find(HaloRole::Id);
  if (id && id->scalar == ScalarType::Float64 && rows.table.count > 0)
    catalog.assumed.push_back("IDs are written as real numbers: those above 2^53 are not exact.");
  catalog.tables.push_back(std::move(rows.table));
}

bool is_own_csv(const TextHead& head) {
  return head.text && !head.comments.empty() &&
         head.comments.front().find(kCsvMark) != std::string::npos;
}

HaloCatalog open_csv_catalog(const std::string& path, const CatalogOptions&, Progress& progress) {
  const TextHead head = read_text_head(path);
  TextColumns columns;
  if (!head.text || !find_names(head, columns))
    throw NotThisFormat("this is no table with a row of names", path);
  std::vector<std::string> units;
  for (auto& name : columns.names) {
    const NameAndUnit split = split_unit(unquoted(name));
    name = split.name.empty() ? "column" : split.name;
    units.push_back(split.unit);
  }
  // Looked at before the rows: of a table of something else nothing need be read.
  HaloTable named;
  for (const auto& name : columns.names) {
    named.columns.emplace_back();
    named.columns.back().name = name;
  }
  assign_halo_roles(named);
  if (!named.find(HaloRole::Position) && !named.find(HaloRole::Mass))
    throw Error("the table names neither positions (x, y, z) nor masses (mass, mvir, …) of halos",
                path, "rename its columns");
  TextRows rows = read_text_table(path, columns, progress);
  // Columns of words are gone: units go by name.
  bool lengths_known = true;
  for (auto& column : rows.table.columns)
    for (std::size_t i = 0; i < columns.names.size(); ++i)
      if (columns.names[i] == column.name) set_unit(column, units[i]);
  HaloCatalog catalog;
  catalog.format = "CSV";
  catalog.files = {path};
  catalog.units = {1e6 * kParsecCm, kSolarMassG, 1e5, true, true};
  finish_table(std::move(rows), catalog);
  const HaloTable& table = catalog.tables.front();
  for (const HaloRole role : {HaloRole::Position, HaloRole::Mass})
    if (const CatalogColumn* column = table.find(role))
      lengths_known &= column->scaling.has_value();
  if (!lengths_known)
    catalog.assumed.push_back(
        "Positions or masses have no unit in the row of names: they are compared as they are.");
  const auto facts = comment_values(head.comments);
  adopt_comment_facts(facts, catalog, table);
  // Which no search for halos has.
  if (is_own_csv(head) && facts.count("parameter linkage"))
    catalog.format = std::string(kClustersFormat) + ", CSV";
  const auto levels = facts.find(std::string("parameter ") + kLevelsParameter);
  const bool of_minima = levels != facts.end() && levels->second == kFromMinima;
  if (is_own_csv(head) && (levels != facts.end() || facts.count("parameter maxima")))
    catalog.format = std::string(of_minima ? kVoidsFormat : kPeaksFormat) + ", CSV";
  return catalog;
}

}  // namespace haloscope::io
