#pragma once

#include "analysis/halos/halo_options.h"
#include "analysis/halos/halo_search.h"
#include "analysis/halos/halo_table.h"
#include "core/halo_catalog.h"
#include "core/snapshot_info.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// What was taken for granted from opening the snapshot to measuring the halos, sentences with
// options as flags of the command line.
std::vector<std::string> assumed_for_halos(const SnapshotInfo& info, const HaloSearch& found,
                                           const FoundCatalog& catalog);

// What every catalog tells of its origin, whoever writes it; `command_line`: what made it.
CatalogProvenance halo_provenance(const SnapshotInfo& info, const HaloOptions& options,
                                  const HaloSearch& found, const FoundCatalog& catalog,
                                  const std::string& command_line);

}  // namespace haloscope::analysis
