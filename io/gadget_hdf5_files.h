#pragma once

#include "io/gadget_hdf5_header.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// The files of one snapshot and their headers, in numeric order.
struct GadgetFileSet {
  Hdf5Dialect dialect = Hdf5Dialect::Unknown;
  std::vector<std::string> files;
  std::vector<GadgetHeader> headers;
  std::vector<std::string> missing;  // paths of files that should be there
  std::vector<std::string> assumed;
};

// Finds all files of the snapshot that `path` belongs to: a file that is the whole snapshot, any
// file of a set "base.N.ext" with N = 0 … NumFilesPerSnapshot-1, or a folder that holds one
// snapshot. Throws NotThisFormat when there is no Gadget-like HDF5 file, BadFile when files are
// missing (unless allowed), damaged, or belong to another snapshot; Error when a folder holds
// several snapshots.
GadgetFileSet find_gadget_files(const std::string& path, bool allow_missing_files);

}  // namespace haloscope::io
