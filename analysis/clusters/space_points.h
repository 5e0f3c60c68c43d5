#pragma once

#include "analysis/clusters/cluster_space.h"
#include "analysis/clusters/space_lattice.h"
#include "analysis/halos/halo_search.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

// The particles that are clustered as points of a space.
struct SpacePoints {
  SpaceLattice lattice;
  std::vector<std::string>
      said;  // sentences: by what was divided, how finely values are told apart
  std::vector<std::pair<std::string, double>> parameters;  // the same for provenance
};

// Takes positions and velocities from what was read (velocities as peculiar ones), and reads other
// fields in their own precision. Points follow one another type after type. Throws Error for values
// that are not finite numbers.
SpacePoints place_in_space(const io::SnapshotReader& reader, const HaloSearch& particles,
                           const std::vector<SpaceQuantity>& quantities, Progress& progress);

// Bytes of host memory that this takes beside the particles, at most.
std::uint64_t bytes_of_space(const std::vector<SpaceQuantity>& quantities, std::uint64_t points);

}  // namespace haloscope::analysis
