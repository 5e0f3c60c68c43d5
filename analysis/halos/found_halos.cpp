#include "analysis/halos/found_halos.h"

#include "analysis/halos/halo_provenance.h"
#include "analysis/halos/halo_search.h"
#include "analysis/halos/halo_table.h"
#include "analysis/options/option_error.h"
#include "analysis/snapshot/open_snapshot.h"

#include <cmath>
#include <utility>

namespace haloscope::analysis {

namespace {

// Of a halo too loose to have an R200: particles at the linking length from each other.
double loose_radius(std::uint64_t members, double linking_length) {
  return linking_length * std::cbrt(double(members)) / 2;
}

std::vector<HaloRow> rows_of(const HaloTable& table, double linking_length) {
  const CatalogColumn* mass = table.find(HaloRole::Mass);
  const CatalogColumn* radius = table.find(HaloRole::Radius);
  const CatalogColumn* members = table.find(HaloRole::MemberCount);
  std::vector<HaloRow> rows(table.count);
  for (std::uint64_t h = 0; h < table.count; ++h) {
    HaloRow& row = rows[h];
    row.number = h;
    row.center = table.vector(HaloRole::Position, h);
    if (members) row.members = std::uint64_t(members->value(h));
    if (mass) row.mass = mass->value(h);
    if (radius && radius->value(h) > 0) row.r200 = radius->value(h);
    row.radius = row.r200.value_or(loose_radius(row.members, linking_length));
  }
  return rows;
}

FoundHalos search(const std::string& snapshot, const SnapshotOptions& said,
                  const HaloOptions& options, compute::Device device, Progress& progress) {
  const auto reader = open_snapshot(snapshot, said);
  HaloSearch search = search_halos(*reader, {options, device, true}, progress);
  auto colors = std::make_shared<HaloColors>(halo_colors(search, options));
  FoundCatalog found =
      make_catalog(*reader, search, progress, CatalogContent{true, said.replicate == 1});
  FoundHalos halos;
  if (colors->halos > 0) halos.colors = std::move(colors);
  halos.options = options;
  halos.files = reader->info().files;
  halos.linking_length = search.linking_length;
  for (const auto* sentences : {&search.said, &found.said})
    for (const std::string& sentence : *sentences) halos.said.push_back(with_words(sentence));
  halos.provenance = halo_provenance(reader->info(), options, search, found, {});
  if (!found.catalog.tables.empty()) {
    const HaloTable& table = found.catalog.tables.front();
    halos.rows = rows_of(table, search.linking_length);
    halos.mass_function = mass_function(table, search, reader->info(), options.min_members);
    if (const auto* mass = table.find(HaloRole::Mass)) halos.mass_unit = mass->unit;
    if (const auto* place = table.find(HaloRole::Position)) halos.length_unit = place->unit;
  }
  halos.catalog = std::move(found.catalog);
  halos.members = std::move(found.members);
  return halos;
}

}  // namespace

FoundHalos find_halos(const std::string& snapshot, const SnapshotOptions& said,
                      const HaloOptions& options, compute::Device device, Progress& progress) {
  try {
    return search(snapshot, said, options, device, progress);
  } catch (const OptionError& error) {
    throw Error(with_words(error.what()), "find halos");
  }
}

std::uint64_t FoundHalos::bytes() const {
  std::uint64_t sum = rows.size() * sizeof(HaloRow);
  for (const auto& [type, ids] : members.ids) sum += ids.size() * sizeof(std::uint64_t);
  for (const HaloTable& table : catalog.tables)
    for (const CatalogColumn& column : table.columns)
      sum += table.count * std::uint64_t(column.components) * sizeof(double);
  if (colors)
    for (const auto& [type, places] : colors->places) sum += places.size();
  return sum;
}

}  // namespace haloscope::analysis
