#pragma once

#include "io/catalogs/catalog_reader.h"
#include "io/catalogs/text_table.h"

#include <string>

// Readers of halo catalogs that are text. Each throws NotThisFormat for other files and BadFile for
// its own that are damaged.
namespace haloscope::io {

// Rockstar's out_N.list and halos_S.B.ascii, and consistent-trees' hlist: names in the first
// comment line, units and cosmology in those after it. One file is read, also where the blocks of
// halos_S.B.ascii lie beside each other: nothing in them tells how many there are (said).
bool is_rockstar(const TextHead& head);
HaloCatalog open_rockstar(const std::string& path, const CatalogOptions& options,
                          Progress& progress);

// AHF's *_halos: names as "Mvir(4)" in the first line, no units: comoving kpc/h, Msun/h, km/s.
bool is_ahf(const TextHead& head);
HaloCatalog open_ahf(const std::string& path, const CatalogOptions& options, Progress& progress);

// Numbers between commas, semicolons, tabs or blanks below a row of names, units in brackets
// ("mass [1e10 Msun/h]"), facts in comments ("# box_size = 25 Mpc/h"). What names neither positions
// nor masses is no halo catalog.
bool is_own_csv(const TextHead& head);
HaloCatalog open_csv_catalog(const std::string& path, const CatalogOptions& options,
                             Progress& progress);

// First line of the CSV that this program writes.
inline constexpr const char* kCsvMark = "haloscope halo catalog";

// Writes the chosen rows and columns of a table as such a CSV, which open_csv_catalog reads back to
// the same values: whole numbers exactly, real ones to their precision in the first file. Throws
// Error when the file cannot be written, and Cancelled; appears whole or not at all.
void write_csv_catalog(const std::string& path, const HaloCatalog& catalog, const HaloTable& table,
                       const std::vector<const CatalogColumn*>& columns,
                       const std::vector<std::uint64_t>& rows, Progress& progress);

// Common to the readers of text: scale factor and Hubble parameter, by any of their keys in
// comments; box in the unit of `table`'s positions, taken as periodic.
void adopt_comment_facts(const std::multimap<std::string, std::string>& values,
                         HaloCatalog& catalog, const HaloTable& table);

// Fills roles, drops rows without finite position and mass, and says both.
void finish_table(TextRows rows, HaloCatalog& catalog);

}  // namespace haloscope::io
