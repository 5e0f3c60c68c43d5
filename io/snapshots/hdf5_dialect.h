#pragma once

#include <hdf5.h>

#include <map>
#include <string>

namespace haloscope::io {

// Who wrote an HDF5 file, told from its content alone.
enum class Hdf5Dialect {
  Gadget,  // Gadget-2/3 and everything that looks like it
  Gadget4,
  Arepo,      // Illustris, TNG
  TngCutout,  // what TNG's web interface cuts out of a snapshot: AREPO's particles, a bare header
  Gizmo,      // FIRE
  Swift,
  Eagle,
  HaloCatalog,
  BarePositions,  // no particle groups, but an N x 3 dataset in the root
  Unknown
};

Hdf5Dialect detect_hdf5_dialect(hid_t file);

// Whether gas or stars have a field of the Illustris model (GFM_…), as its runs and IllustrisTNG's
// have, cut-outs included.
bool has_illustris_fields(hid_t file);

// In what the dialects differ beyond where they keep their numbers.
struct DialectFacts {
  const char* name;               // "GADGET-4", "AREPO", …
  bool particle_groups = true;    // particles lie in PartTypeN groups
  bool mesh_cells = false;        // gas is the cells of a mesh
  bool sqrt_a_velocities = true;  // comoving runs store Gadget's v / sqrt(a), not v
  bool one_file = false;          // whatever the header says, which was copied from a set's
  std::map<int, const char*> type_names = {};  // where they are not Gadget's
};
const DialectFacts& facts_of(Hdf5Dialect dialect);

// The code's own word for particles of a type; type_name(number) where it has none.
std::string particle_name(Hdf5Dialect dialect, int number);

// Why a file without PartTypeN groups is not a snapshot; completes a sentence that starts with the
// file's name.
std::string refusal(Hdf5Dialect dialect);

// N of a group called PartTypeN; -1 for any other name.
int particle_type_number(const std::string& group);

}  // namespace haloscope::io
