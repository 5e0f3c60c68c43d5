#pragma once

#include "core/known_positions.h"
#include "core/particles.h"
#include "core/progress.h"
#include "io/loading/read_together.h"
#include "io/loading/selection.h"
#include "io/snapshot_reader.h"

#include <string>
#include <vector>

namespace haloscope::io {

// Which columns to load. Field names are the file's own, or derived ones (see derived_fields.h:
// "Temperature", "Speed", …).
struct LoadRequest {
  struct Type {
    int type = 0;
    std::vector<std::string> fields;
    bool smoothing_length = true;  // when the file has it
    bool mass = true;              // else nothing is assumed about it either
  };
  std::vector<Type> types;
  Selection selection = {};
  // Of the same snapshot with the same overrides, loaded with no selection. Taken in place of the
  // file's where the result is the same: for all types where the box is not periodic, whose domain
  // depends on all positions, and only where there is no selection but a rough region. Null: all
  // are read.
  const KnownPositions* known = nullptr;
  // Several processes read the snapshot, each its part of the rows of the selection; with nothing
  // known. Null: this one reads all. Domain and sentences are those of all
  // rows, and a type that has none in this part has no columns but a place in ParticleSet::types.
  const ReadTogether* together = nullptr;
  // Particles some steps of the lattice outside of the region do no harm: in a periodic box those
  // in it are found among the known positions, and what was wrapped or left out is not told again.
  bool rough_region = false;
};

// Reads the columns asked for into host memory: positions in fixed point in one domain common to
// all types (the periodic box, or robust bounds of all the positions), the rest in float32.
//
// Coordinates outside a periodic box are wrapped and counted; rows with NaN or infinite positions
// are left out and counted; in a non-periodic set, particles so far away that they would eat the
// others' resolution are left out and counted; each is said in ParticleSet::assumed.
// Of a sample, each particle stands for `weight` of the file's: masses are multiplied by it.
// Smoothing lengths of the file stay as they are: the sum over a kernel's neighbors then has the
// same expected value at the same resolution as with all particles, only with more noise; scaling
// them up would hide the noise by blurring. (Lengths that are estimated later adapt by themselves.)
// Throws Error when a field does not exist (naming those that do) or nothing is left, and before
// allocating when the columns cannot fit in memory.
ParticleSet load_particles(const SnapshotReader& reader, const LoadRequest& request,
                           Progress& progress);

// Bytes of host memory that load_particles would allocate at most. How much of the file lies in a
// region is not known before its positions are read: loading itself asks again once it is.
std::uint64_t estimate_memory(const SnapshotInfo& info, const LoadRequest& request);

}  // namespace haloscope::io
