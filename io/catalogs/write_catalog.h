#pragma once

#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/catalogs/plain_dataset.h"

#include <string>
#include <vector>

namespace haloscope::io {

// Throws Error unless write_catalog() can write to `path`: the extension tells the format, and the
// file can be made. Commands ask this before long work.
void require_catalog_output(const std::string& path);

// Whether the extension of a catalog's name is that of a table as text. Throws Error for another
// extension than a catalog's.
bool is_csv_catalog(const std::string& path);

// The first line of another table as text that this program writes: rows and their clusters.
inline constexpr const char* kRowsMark = "haloscope clusters of rows";

// Whether what lies at `path`, if anything, is a catalog of haloscope's, fields of particles or
// clusters of rows that it wrote (write_fields.h), or empty. GADGET-4 names its own as a user may
// name ours.
bool is_replaceable_catalog(const std::string& path);

// Writes a halo catalog by the extension of its name: .hdf5, .h5 or .hdf as write_fof_subhalo(),
// .csv as write_csv(), one file without the members and what is `beside`. It appears whole or not
// at all, or as that many `files` as write_fof_subhalo() tells. Throws Error in one sentence for
// another extension, or when the file cannot be written, and Cancelled.
void write_catalog(const std::string& path, const HaloCatalog& catalog, const HaloMembers& members,
                   const CatalogProvenance& provenance, Progress& progress,
                   const std::vector<PlainDataset>& beside = {}, int files = 1);
void write_catalog(const std::string& path, const HaloCatalog& catalog, const HaloMembers& members,
                   const CatalogProvenance& provenance);

}  // namespace haloscope::io
