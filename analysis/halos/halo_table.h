#pragma once

#include "analysis/halos/halo_search.h"
#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// The catalog of what a search found: properties with names and conventions of GADGET-4's groups,
// in the snapshot's own units, and the IDs of the members.
struct FoundCatalog {
  HaloCatalog catalog;
  HaloMembers members;
  std::vector<std::string> said;  // sentences: what was taken for granted
};

struct CatalogContent {
  bool members = true;  // their IDs; without them only those of most bound members are read
  // Whether rows of the search are those of the snapshot's files: not where it is repeated.
  bool rows_of_files = true;
  // What sentences call the groups.
  const char *one = "halo", *several = "halos";
};

// Measures the halos and reads IDs of members, where the search has not done it (`measured`); adds
// milliseconds of properties and IDs to found.timings.
//
// GroupFirstIDType tells where the members of each type begin in FoundCatalog::members. GADGET-4's
// GroupOffsetType, which its readers take for rows of the snapshot, stands beside it where members
// lie so there: where those of each halo and type are one run of rows, as in snapshots that
// GADGET-4 wrote with halos of the same linking. The same holds for Subhalo.
FoundCatalog make_catalog(const io::SnapshotReader& reader, HaloSearch& found, Progress& progress,
                          const CatalogContent& content = {});

}  // namespace haloscope::analysis
