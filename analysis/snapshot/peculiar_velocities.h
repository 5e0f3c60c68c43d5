#pragma once

#include "core/particles.h"
#include "core/snapshot_info.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// Name of the field that holds velocities of a type; empty: none.
std::string velocity_field(const TypeInfo& type);

// Turns the stored velocities of a type, where they were loaded, into peculiar ones in code units.
// Stored ones are GADGET's v / sqrt(a), or what else the file's attributes say. Adds a sentence to
// `said` where their unit is not known.
void make_velocities_peculiar(const SnapshotInfo& info, ParticleColumns& columns,
                              std::vector<std::string>& said);

}  // namespace haloscope::analysis
