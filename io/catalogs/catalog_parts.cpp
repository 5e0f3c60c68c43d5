#include "io/catalogs/catalog_parts.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

namespace haloscope::io {

namespace {

struct Range {
  std::size_t first, end;
};

Range rows_of(std::uint64_t rows, int number, int files) {
  const auto n = std::uint64_t(files), k = std::uint64_t(number);
  // Without a product that could overflow: `rest` rows more than equal parts go to the first ones.
  const std::uint64_t each = rows / n, rest = rows % n;
  const auto first = [&](std::uint64_t part) {
    return std::size_t(part * each + std::min(part, rest));
  };
  return {first(k), first(k + 1)};
}

CatalogColumn part_of(const CatalogColumn& column, const Range& rows) {
  CatalogColumn part;
  part.name = column.name;
  part.unit = column.unit;
  part.components = column.components;
  part.scalar = column.scalar;
  part.scaling = column.scaling;
  part.description = column.description;
  const auto components = std::ptrdiff_t(column.components);
  std::visit(
      [&](const auto& values) {
        part.values =
            std::decay_t<decltype(values)>(values.begin() + std::ptrdiff_t(rows.first) * components,
                                           values.begin() + std::ptrdiff_t(rows.end) * components);
      },
      column.values);
  return part;
}

}  // namespace

std::vector<std::string> names_of_parts(const std::string& path, int files) {
  if (files <= 1) return {path};
  const std::filesystem::path whole(path);
  std::vector<std::string> names;
  for (int k = 0; k < files; ++k) {
    std::filesystem::path name = whole;
    name.replace_filename(whole.stem().string() + "." + std::to_string(k) +
                          whole.extension().string());
    names.push_back(name.string());
  }
  return names;
}

CatalogPart part_of(const HaloCatalog& catalog, const HaloMembers& members,
                    const std::string& groups, int number, int files) {
  CatalogPart part;
  part.catalog.format = catalog.format;
  part.catalog.box_size = catalog.box_size;
  part.catalog.periodic = catalog.periodic;
  part.catalog.time = catalog.time;
  part.catalog.cosmology = catalog.cosmology;
  part.catalog.hubble_known = catalog.hubble_known;
  part.catalog.units = catalog.units;
  for (const HaloTable& table : catalog.tables) {
    const Range rows = rows_of(table.count, number, files);
    HaloTable& made = part.catalog.tables.emplace_back();
    made.name = table.name;
    made.roles = table.roles;
    made.count = rows.end - rows.first;
    for (const CatalogColumn& column : table.columns) made.columns.push_back(part_of(column, rows));
    if (table.name != groups) continue;
    for (const auto& [type, ids] : members.ids) {
      const auto &offset = members.offset.at(type), &length = members.length.at(type);
      part.members_before[type] = std::accumulate(
          length.begin(), length.begin() + std::ptrdiff_t(rows.first), std::uint64_t(0));
      auto& own = part.members.length[type];
      own.assign(length.begin() + std::ptrdiff_t(rows.first),
                 length.begin() + std::ptrdiff_t(rows.end));
      LargeVector<std::uint64_t> list(
          std::size_t(std::accumulate(own.begin(), own.end(), std::uint64_t(0))));
      std::size_t at = 0;
      for (std::size_t halo = rows.first; halo < rows.end; ++halo) {
        part.members.offset[type].push_back(at);
        std::copy_n(ids.begin() + std::ptrdiff_t(offset[halo]), length[halo],
                    list.begin() + std::ptrdiff_t(at));
        at += std::size_t(length[halo]);
      }
      part.members.offset[type];  // an empty list where the part has no halo
      part.members.ids[type] = std::move(list);
    }
  }
  return part;
}

}  // namespace haloscope::io
