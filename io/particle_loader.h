#pragma once

#include "core/particles.h"
#include "core/progress.h"
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
    bool mass = true;
  };
  std::vector<Type> types;
};

// Reads the columns asked for into host memory: positions in fixed point in one domain common to
// all types (the periodic box, or robust bounds of all the positions), the rest in float32.
//
// Coordinates outside a periodic box are wrapped and counted; rows with NaN or infinite positions
// are left out and counted; in a non-periodic set, particles so far away that they would eat the
// others' resolution are left out and counted; each is said in ParticleSet::assumed.
// Throws Error when a field does not exist (naming those that do) or nothing is left, and before
// allocating when the columns cannot fit in memory.
ParticleSet load_particles(const SnapshotReader& reader, const LoadRequest& request,
                           Progress& progress);

// Bytes of host memory that load_particles would allocate.
std::uint64_t estimate_memory(const SnapshotInfo& info, const LoadRequest& request);

}  // namespace haloscope::io
