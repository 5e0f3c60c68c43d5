#pragma once

#include "compute/exec/ranks.h"
#include "core/particles.h"
#include "core/snapshot_info.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

struct MeanSpacing {
  double length = 0;    // in the file's own lengths
  std::string assumed;  // a sentence, where it is not that of particles which fill their box
};

// Mean spacing of the particles of the `linked` types, in whose units linking lengths are given:
// (m / ρ)^(1/3) with their mean mass and the mean density that such matter has in the universe,
// which is Omega0 - OmegaBaryon for dark matter where the snapshot has baryons and Omega0 where it
// has none, OmegaBaryon for baryons, Omega0 for both. For dark matter this is what GADGET-4 and
// SWIFT do; it holds for zoom simulations too, whose particles fill a part of the box, and in a box
// that is full it is box/∛N, which is taken where the two agree. An OmegaBaryon that the file lacks
// is taken from the masses of gas, stars and black holes beside those of type 1. Without comoving
// cosmology or masses: box/∛N, said.
//
// Masses, units or box that are not those of the universe would give any spacing. Where the density
// of all matter is more than twice or less than half of what it should be and the linked particles
// are of one mass and all over the box, it is box/∛N, said; else an Error where io::odd_density
// says that no box can be like that. `ranks`, here and below: the particles are this rank's part,
// and all ranks call it.
MeanSpacing mean_spacing(const SnapshotInfo& info, const ParticleSet& particles,
                         const std::vector<int>& linked, compute::Ranks& ranks = compute::alone());

// What the particles weigh, all together, in code masses.
struct MatterRead {
  double mass = 0;
  bool all = true;  // false: the snapshot has others, or the file does not tell masses of some
};
MatterRead matter_read(const SnapshotInfo& info, const ParticleSet& particles,
                       compute::Ranks& ranks = compute::alone());

// Whether the file tells the masses of a type.
bool has_masses(const TypeInfo& type);

// In code masses; the same for any number of threads and ranks.
double total_mass(const ParticleColumns& columns, compute::Ranks& ranks = compute::alone());

}  // namespace haloscope::analysis
