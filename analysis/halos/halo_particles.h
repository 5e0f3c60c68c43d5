#pragma once

#include "analysis/halos/halo_search.h"
#include "compute/exec/ranks.h"
#include "compute/halos/properties/physics.h"
#include "core/known_positions.h"
#include "core/progress.h"
#include "core/snapshot_info.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"

#include <optional>
#include <vector>

// What the properties of halos are measured from, or of whatever else is groups of particles.
namespace haloscope::analysis {

// How a sentence about types without members begins and ends: "Halos", "`types` and `attach` do".
struct MemberWords {
  const char *groups, *named_by;
  bool of_all_matter = true;  // what spheres count; of a selection: what was selected
};

// The types whose masses spheres count though they have no members: as SUBFIND's, spheres count all
// matter, whatever the halos are made of. Says which types have no members, and which are left out.
std::vector<int> types_around(const SnapshotInfo& info, HaloSearch& found,
                              const MemberWords& words);

// Positions, masses and velocities of the linked and attached types, positions and masses of those
// around. `known`: positions that need not be read; null: all are.
io::LoadRequest plan_halo_load(const SnapshotInfo& info, const HaloSearch& found,
                               const std::vector<int>& around, const KnownPositions* known);

// Reads them into `found`, with velocities as peculiar ones, and sums up their masses. Says what it
// took for granted. All ranks call it, each with its part of the particles.
void read_halo_particles(const io::SnapshotReader& reader, const io::LoadRequest& load,
                         HaloSearch& found, Progress& progress, compute::Ranks& ranks);

// What halos are measured with: without a cosmology where spheres would hold the whole box.
compute::halos::HaloPhysics halo_physics(const SnapshotInfo& info, const HaloSearch& found);

// The softening that was asked for, else the stored one of the first linked type: potentials know
// one for all. Says which.
void choose_softening(const SnapshotInfo& info, const std::optional<double>& asked,
                      HaloSearch& found);

}  // namespace haloscope::analysis
