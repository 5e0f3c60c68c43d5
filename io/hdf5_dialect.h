#pragma once

#include <hdf5.h>

#include <string>

namespace haloscope::io {

// Who wrote an HDF5 file, told from its content alone.
enum class Hdf5Dialect {
  Gadget,  // Gadget-2/3 and everything that looks like it
  Gadget4,
  Arepo,  // Illustris, TNG
  Gizmo,  // FIRE
  Swift,
  Eagle,
  HaloCatalog,
  BarePositions,  // no particle groups, but an N x 3 dataset in the root
  Unknown
};

Hdf5Dialect detect_hdf5_dialect(hid_t file);

// True for the dialects whose particles lie in PartTypeN groups the way Gadget writes them.
bool is_gadget_like(Hdf5Dialect dialect);

// "GADGET-4", "AREPO", …
const char* dialect_name(Hdf5Dialect dialect);

// What such a file is and that this version does not read it, for those that are not Gadget-like;
// completes a sentence that starts with the file's name.
std::string refusal(Hdf5Dialect dialect);

// N of a group called PartTypeN; -1 for any other name.
int particle_type_number(const std::string& group);

}  // namespace haloscope::io
