#pragma once

#include "analysis/catalogs/catalog_comparison.h"
#include "core/halo_catalog.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What a catalog's rows are called.
struct CatalogWords {
  const char *one = "halo", *several = "halos";
  const char* of(std::uint64_t count) const { return count == 1 ? one : several; }
};
CatalogWords words_of(const HaloCatalog& catalog);

// What a catalog is, and its tables, for people; with their columns and units where asked for.
std::string catalog_text(const HaloCatalog& catalog, bool with_columns);
// Keys: format, files, box_size (null where unknown), periodic, redshift (null where unknown),
// cosmology, tables (name, count, columns: name, unit, components, type), assumed.
nlohmann::json catalog_json(const HaloCatalog& catalog);

// Chosen rows and columns, aligned; the first column is the row in the file, from 0.
std::string rows_text(const HaloTable& table, const std::vector<const CatalogColumn*>& columns,
                      const std::vector<std::uint64_t>& rows);
// An array of objects: "row" and the columns; whole numbers stay whole.
nlohmann::json rows_json(const std::vector<const CatalogColumn*>& columns,
                         const std::vector<std::uint64_t>& rows);

std::string comparison_text(const CatalogComparison& comparison);
nlohmann::json comparison_json(const CatalogComparison& comparison);

// The pairs of two tables as CSV: rows in both files, distance, IDs where both tables have them,
// both masses in the first one's unit and their ratio.
std::string pairs_csv(const CatalogComparison& comparison, const HaloTable& first,
                      const HaloTable& second);
// Writes them. Throws Error when that cannot be done.
void write_pairs(const std::string& path, const CatalogComparison& comparison,
                 const HaloTable& first, const HaloTable& second);

}  // namespace haloscope::analysis
