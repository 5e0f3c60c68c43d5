#pragma once

#include "analysis/finding.h"
#include "core/halo_catalog.h"
#include "core/labels.h"
#include "core/particles.h"
#include "core/progress.h"
#include "core/snapshot_info.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

// Which particles of a snapshot are in the halos of a catalog.
namespace haloscope::analysis {

struct LoadedMembers {
  Labels labels;
  std::vector<std::uint64_t> counts;  // by halo
  std::uint64_t listed = 0;           // by IDs: how many the catalog lists of these types,
  std::uint64_t found = 0;            // and how many of these the snapshot has,
  std::uint64_t repeated = 0;         // and rows whose ID another row has too,
  std::uint64_t listed_again = 0;     // and IDs that the catalog lists more than once
  // Of types that have no IDs in the snapshot: how many the catalog lists. They are not in
  // `listed`.
  std::map<int, std::uint64_t> without_ids = {};
};

// By the IDs that the catalog lists. An ID in several halos goes to the last of them, the innermost
// where a catalog lists subhalos behind their hosts. Throws Error where memory does not hold the
// IDs, and Cancelled.
LoadedMembers members_by_id(const io::SnapshotReader& reader, const std::vector<int>& types,
                            const HaloMembers& members, std::uint64_t halos, Progress& progress);

// By rows: GADGET-4 and AREPO write the particles of a group one after another, and the catalog
// tells the first row of each (GroupOffsetType, SubhaloOffsetType; for want of the first, groups
// follow one another) and how many rows there are. Nothing for tables that tell no such lengths,
// where the rows are more than the snapshot has, and where the groups of missing files would shift
// those that follow one another (`incomplete`). Whether the snapshot's order is that one is
// not known: see lie_together().
std::optional<LoadedMembers> members_by_row(const SnapshotInfo& info, const std::vector<int>& types,
                                            const HaloTable& table, bool incomplete = false);

// Whether the members of halos lie around their centers, nine of ten within five radii: of the
// largest ones, and of some over the whole table. Rows of another order are spread over the box.
bool lie_together(const LoadedMembers& members, const ParticleSet& particles,
                  const std::vector<PiecePlace>& places);

// By spheres: a particle is of the halo whose center is nearest to it in units of that halo's
// radius, and within 1 of them; of several as near the first. `places` in code units; a halo with
// radius 0 has no members.
LoadedMembers members_by_sphere(const ParticleSet& particles, const std::vector<PiecePlace>& places,
                                Progress& progress);

}  // namespace haloscope::analysis
