#pragma once

#include "io/catalogs/catalog_reader.h"

#include <hdf5.h>

namespace haloscope::io {

// The catalogs of FOF and SUBFIND as GADGET-4 and AREPO (IllustrisTNG) write them, in one file or
// several: tables "Group" and "Subhalo" with every numeric dataset of the groups of these names.
// Throws NotThisFormat for other files, MissingFiles naming the ones that are not there (unless
// allowed), BadFile where they are damaged or belong to different outputs.
HaloCatalog open_subhalo_tab(const std::string& path, const CatalogOptions& options,
                             Progress& progress);

// True where an open HDF5 file is such a catalog.
bool is_subhalo_tab(hid_t file);
// Of one that this program wrote of a grid: whether it is of voids, and not of peaks.
bool holds_voids(hid_t file);

}  // namespace haloscope::io
