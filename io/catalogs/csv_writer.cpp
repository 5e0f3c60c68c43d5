#include "core/atomic_file.h"
#include "core/error.h"
#include "io/catalogs/text_catalogs.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace haloscope::io {

namespace {

constexpr std::size_t kFlushBytes = std::size_t(1) << 20;

// Vectors of three get axes, others numbers.
std::string component_name(const CatalogColumn& column, int component) {
  static const std::array<const char*, 3> axes{"_x", "_y", "_z"};
  if (column.components == 1) return column.name;
  if (column.components == 3) return column.name + axes[std::size_t(component)];
  return fmt::format("{}_{}", column.name, component);
}

std::string header(const HaloCatalog& catalog, const HaloTable& table,
                   const std::vector<const CatalogColumn*>& columns) {
  std::string text =
      fmt::format("# {}\n# table = {}\n# source = {}\n", kCsvMark, table.name, catalog.format);
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

}  // namespace

void write_csv_catalog(const std::string& path, const HaloCatalog& catalog, const HaloTable& table,
                       const std::vector<const CatalogColumn*>& columns,
                       const std::vector<std::uint64_t>& rows) {
  AtomicFile file(path);
  std::string text = header(catalog, table, columns);
  for (const std::uint64_t row : rows) {
    bool first = true;
    for (const CatalogColumn* column : columns) {
      for (int k = 0; k < column->components; ++k) {
        if (!first) text += ',';
        first = false;
        const auto at = std::size_t(row) * std::size_t(column->components) + std::size_t(k);
        if (column->scalar == ScalarType::Float32)
          fmt::format_to(std::back_inserter(text), "{}", float(column->value(row, k)));
        else
          std::visit(
              [&](const auto& values) {
                fmt::format_to(std::back_inserter(text), "{}", values[at]);
              },
              column->values);
      }
    }
    text += '\n';
    if (text.size() > kFlushBytes) {
      file.write(text.data(), text.size());
      text.clear();
    }
  }
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace haloscope::io
