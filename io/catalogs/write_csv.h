#pragma once

#include "core/halo_catalog.h"
#include "core/progress.h"

#include <string>

namespace haloscope::io {

// Writes the table "Group" of the catalog, for want of it the first, as CSV with all its rows and
// columns; text_catalogs.h tells how, and has write_csv_catalog() for other choices. The provenance
// stands in comments above the row of names: "# snapshot = …", "# parameter NAME = …".
// A catalog without halos has the row of names alone. Throws as write_csv_catalog().
void write_csv(const std::string& path, const HaloCatalog& catalog,
               const CatalogProvenance& provenance, Progress& progress);

}  // namespace haloscope::io
