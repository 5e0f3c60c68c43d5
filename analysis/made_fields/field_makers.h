#pragma once

#include "compute/exec/device.h"
#include "core/array.h"
#include "core/progress.h"
#include "core/snapshot_info.h"
#include "io/snapshot_reader.h"

#include <map>
#include <string>

namespace haloscope::analysis {

// How fields that are in no file are made.
struct MakingChoice {
  compute::Device device;
  int copies = 1;  // of a periodic box, along each axis (--replicate)
};

// Values by type and row of the file; NaN for rows that are rejected (ParticleColumns).
using MadeValues = std::map<int, Array<float>>;

// A field that can be made of a snapshot's particles.
struct FieldMaker {
  const char* name;
  // Adds the field to the types that can have it.
  void (*offer)(SnapshotInfo& info);
  // Of one type at least, or of all. Throws Error, in the user's words, and Cancelled.
  MadeValues (*make)(const io::SnapshotReader& reader, int type, const MakingChoice& choice,
                     Progress& progress);
};

// The first type of particles without masses, for which TreePotential is not made; null where all
// have them.
const TypeInfo* type_without_mass(const SnapshotInfo& info);
const FieldMaker& tree_potential_maker();
const FieldMaker& local_density_maker();

}  // namespace haloscope::analysis
