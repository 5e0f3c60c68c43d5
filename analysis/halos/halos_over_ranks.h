#pragma once

#include "analysis/halos/halo_search.h"
#include "compute/exec/ranks.h"
#include "compute/halos/halo_finder.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

namespace haloscope::analysis {

// Throws OptionError for what several ranks cannot be asked yet.
void require_for_ranks(const HaloSearchRequest& request);

// Finds and measures the halos of all ranks' particles; all ranks call it, with the particles that
// each has read. On rank 0 `found` gets the members of all halos, their measurements, and the
// counts of all ranks' particles in place of the particles; on the others it gets nothing.
void find_halos_over_ranks(compute::Ranks& ranks, const io::SnapshotReader& reader,
                           compute::halos::FinderTools& tools, const HaloSearchRequest& request,
                           HaloSearch& found, Progress& progress);

}  // namespace haloscope::analysis
