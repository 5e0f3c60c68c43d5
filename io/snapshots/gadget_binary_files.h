#pragma once

#include "core/assumption.h"
#include "io/snapshots/gadget_binary_blocks.h"

#include <string>
#include <vector>

namespace haloscope::io {

// The files of one snapshot with their headers and blocks, in numeric order.
struct GadgetBinaryFileSet {
  std::vector<GadgetBinaryFile> files;
  std::vector<std::string> missing;  // paths of files that should be there
  Assumptions assumed;
};

// Finds all files of the snapshot that `path` belongs to: a file that is the whole snapshot, any
// file of a set base.0 … base.N-1, or a folder that holds one snapshot. Outputs that merely lie
// side by side (cube.00128, cube.00256) say in their headers that each is whole. Throws
// NotThisFormat when there is no binary Gadget file, BadFile when files are missing (unless
// allowed), damaged, or belong to another snapshot; Error when a folder holds several snapshots.
GadgetBinaryFileSet find_gadget_binary_files(const std::string& path, bool allow_missing_files);

}  // namespace haloscope::io
