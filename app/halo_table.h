#pragma once

#include "app/halo_search.h"
#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <string>
#include <vector>

namespace haloscope::app {

// The catalog of what a search found: properties with names and conventions of GADGET-4's groups,
// in the snapshot's own units, and the IDs of the members.
struct FoundCatalog {
  HaloCatalog catalog;
  HaloMembers members;
  std::vector<std::string> said;  // sentences: what was taken for granted
};

// Measures the halos and reads the IDs of their members; adds milliseconds of properties and IDs to
// found.timings.
FoundCatalog make_catalog(const io::SnapshotReader& reader, HaloSearch& found, Progress& progress);

}  // namespace haloscope::app
