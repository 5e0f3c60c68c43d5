#pragma once

#include "core/halo_catalog.h"
#include "core/progress.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// What the user knows better than the file.
struct CatalogOptions {
  // Go on when files of a multi-file catalog are missing (said in `assumed`).
  bool allow_missing_files = false;
};

// Reads a halo catalog whole: fof_subhalo_tab HDF5 (one file, any of several, or their folder; the
// ending may be left out), Rockstar's lists, AHF's halos, or CSV with a row of names. Told apart by
// content, never by name. Throws Error in one sentence when it is none of them, BadFile when it is
// damaged.
HaloCatalog open_catalog(const std::string& path, const CatalogOptions& options,
                         Progress& progress);
HaloCatalog open_catalog(const std::string& path, const CatalogOptions& options = {});

// What kind of halo catalog a file is ("Rockstar halo catalog"), for those that tell it at their
// beginning; nothing for all else, CSV of other origin included. Reads 64 KiB at most of text, and
// never throws. The ending may be left out, as with open_catalog.
std::optional<std::string> catalog_kind(const std::string& path);

// Whether the path is a folder with at least one fof_subhalo_tab catalog in it; never throws.
bool folder_holds_catalog(const std::string& path);

// The registry, in the order of asking: `open` throws NotThisFormat to pass a file on.
struct RegisteredCatalog {
  const char* name;
  HaloCatalog (*open)(const std::string& path, const CatalogOptions& options, Progress& progress);
};
const std::vector<RegisteredCatalog>& registered_catalogs();

}  // namespace haloscope::io
