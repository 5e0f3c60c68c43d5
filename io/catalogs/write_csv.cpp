#include "io/catalogs/write_csv.h"

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/snapshot_info.h"
#include "core/visible_text.h"
#include "io/catalogs/text_catalogs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

namespace haloscope::io {

namespace {

constexpr std::size_t kCsvFlushBytes = std::size_t(1) << 20;
// All comments must stand within the first 64 KiB, in which readers look for the row of names.
constexpr std::size_t kLongestComment = 4096;

// "gas", "dm", …, "type6"
std::string type_suffix(int type) {
  std::string name = type_name(type);
  std::erase(name, ' ');
  return name;
}

// Vectors of three get axes, values per particle type its name, others numbers.
std::string component_name(const CatalogColumn& column, int component) {
  static const std::array<const char*, 3> axes{"_x", "_y", "_z"};
  if (column.components == 1) return column.name;
  if (column.components == 3) return column.name + axes[std::size_t(component)];
  // A vector of three is no count of types.
  if (column.components >= kGadgetTypes && column.name.ends_with("Type"))
    return column.name + "_" + type_suffix(component);
  return fmt::format("{}_{}", column.name, component);
}

// In one line, which readers take for one fact: several may stand between semicolons.
std::string comment(const std::string& key, std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32)
      c = ' ';
    else if (c == ';')
      c = ',';
  text = visible_text(text);
  if (text.size() > kLongestComment) {
    text.resize(kLongestComment);
    // Not amid a character of UTF-8.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80)) text.pop_back();
    text += " …";
  }
  return fmt::format("# {} = {}\n", key, text);
}

std::string provenance_text(const CatalogProvenance& provenance) {
  std::string text = comment("program", provenance.program_version);
  if (!provenance.snapshot.empty()) text += comment("snapshot", provenance.snapshot);
  if (!provenance.command_line.empty()) text += comment("command line", provenance.command_line);
  for (const auto& [name, value] : provenance.parameters)
    text += std::visit(
        [&key = name](const auto& v) { return comment("parameter " + key, fmt::format("{}", v)); },
        value);
  return text;
}

std::string header(const HaloCatalog& catalog, const HaloTable& table,
                   const std::vector<const CatalogColumn*>& columns,
                   const std::string& provenance) {
  std::string text =
      fmt::format("# {}\n# table = {}\n# source = {}\n", kCsvMark, table.name, catalog.format);
  text += provenance;
  const auto& c = catalog.cosmology;
  if (c.redshift) text += fmt::format("# redshift = {}\n", *c.redshift);
  if (catalog.hubble_known) text += fmt::format("# h = {}\n", c.hubble_param);
  if (c.omega_matter > 0)
    text += fmt::format("# omega_m = {}\n# omega_l = {}\n", c.omega_matter, c.omega_lambda);
  if (catalog.box_size > 0) {
    const CatalogColumn* position = table.find(HaloRole::Position);
    text += fmt::format("# box_size = {} {}\n# periodic = {}\n", catalog.box_size,
                        position ? position->unit : "", catalog.periodic ? "yes" : "no");
  }
  std::string names;
  for (const CatalogColumn* column : columns)
    for (int k = 0; k < column->components; ++k)
      names += (names.empty() ? "" : ",") + component_name(*column, k) +
               (column->unit.empty() ? "" : " [" + column->unit + "]");
  return text + names + "\n";
}

// One value, whole numbers exactly, real ones with as many digits as their own precision needs.
void append_value(std::string& text, const CatalogColumn& column, std::uint64_t row, int k) {
  const auto at = std::size_t(row) * std::size_t(column.components) + std::size_t(k);
  if (column.scalar == ScalarType::Float32)
    fmt::format_to(std::back_inserter(text), "{}", float(column.value(row, k)));
  else
    std::visit([&](const auto& v) { fmt::format_to(std::back_inserter(text), "{}", v[at]); },
               column.values);
}

void write_rows(AtomicFile& file, std::string text,
                const std::vector<const CatalogColumn*>& columns,
                const std::vector<std::uint64_t>& rows, Progress& progress) {
  constexpr const char* kPhase = "writing halos";
  progress.report(kPhase, 0);
  std::size_t written = 0;
  for (const std::uint64_t row : rows) {
    bool first = true;
    for (const CatalogColumn* column : columns)
      for (int k = 0; k < column->components; ++k) {
        if (!first) text += ',';
        first = false;
        append_value(text, *column, row, k);
      }
    text += '\n';
    ++written;
    if (text.size() > kCsvFlushBytes) {
      progress.report(kPhase, double(written) / double(rows.size()));
      file.write(text.data(), text.size());
      text.clear();
    }
  }
  file.write(text.data(), text.size());
}

}  // namespace

void write_csv_catalog(const std::string& path, const HaloCatalog& catalog, const HaloTable& table,
                       const std::vector<const CatalogColumn*>& columns,
                       const std::vector<std::uint64_t>& rows, Progress& progress) {
  AtomicFile file(path);
  write_rows(file, header(catalog, table, columns, {}), columns, rows, progress);
  file.commit();
}

void write_csv(const std::string& path, const HaloCatalog& catalog,
               const CatalogProvenance& provenance, Progress& progress) {
  if (catalog.tables.empty()) throw Error("there is no table of halos to write", path);
  const HaloTable* groups = catalog.find("Group");
  const HaloTable& table = groups ? *groups : catalog.tables.front();
  std::vector<const CatalogColumn*> columns;
  for (const auto& column : table.columns) columns.push_back(&column);
  std::vector<std::uint64_t> rows(table.count);
  std::iota(rows.begin(), rows.end(), 0);
  AtomicFile file(path);
  write_rows(file, header(catalog, table, columns, provenance_text(provenance)), columns, rows,
             progress);
  file.commit();
}

}  // namespace haloscope::io
