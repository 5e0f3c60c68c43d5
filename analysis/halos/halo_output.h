#pragma once

#include "analysis/halos/halo_options.h"
#include "analysis/snapshot/output_guard.h"
#include "core/halo_catalog.h"

#include <string>

namespace haloscope::analysis {

// What a CSV catalog holds: its columns tell no places in lists of members.
HaloCatalog without_member_lists(HaloCatalog catalog);

bool is_csv(const std::string& path);

// Throws Error unless the catalog of such a search can be written to `path`.
void require_halo_output(const std::string& path, const HaloOptions& options,
                         const Overwriting& overwriting);

}  // namespace haloscope::analysis
