#pragma once

#include "analysis/halos/halo_options.h"
#include "analysis/halos/halo_search.h"
#include "analysis/halos/halo_table.h"
#include "core/halo_catalog.h"
#include "core/snapshot_info.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// What every catalog tells of its origin, whoever writes it; `command_line`: what made it.
CatalogProvenance halo_provenance(const SnapshotInfo& info, const HaloOptions& options,
                                  const HaloSearch& found, const FoundCatalog& catalog,
                                  const std::string& command_line);

}  // namespace haloscope::analysis
