#pragma once

#include "core/halo_catalog.h"
#include "io/catalogs/catalog_reader.h"

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// What one file of a fof_subhalo_tab set says of itself.
struct SubhaloTabHeader {
  std::uint64_t groups = 0, subhalos = 0;              // in this file
  std::uint64_t groups_total = 0, subhalos_total = 0;  // in all
  std::uint64_t file_count = 1;
  bool gadget4 = false;  // else AREPO's custom, which differs in the lengths of subhalos
  double time = 0;
};

struct SubhaloTabFile {
  std::string path;
  SubhaloTabHeader header;
};

struct SubhaloTabSet {
  std::vector<SubhaloTabFile> files;  // in numeric order
  std::vector<std::string> assumed;
};

SubhaloTabHeader read_subhalo_tab_header(hid_t file, const std::string& path);

// All files of the catalog that `path` belongs to: itself, the set "base.N.ext", or the one catalog
// in a folder. Throws as open_subhalo_tab does.
SubhaloTabSet find_subhalo_tab_files(const std::string& path, const CatalogOptions& options);

}  // namespace haloscope::io
