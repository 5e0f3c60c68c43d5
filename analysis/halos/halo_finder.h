#pragma once

#include "analysis/finder.h"

#include <memory>

namespace haloscope::analysis {

struct HaloSearch;

// Friends-of-friends groups and DBSCAN's clusters, as `haloscope halos` finds them; the options are
// HaloOptions.
std::shared_ptr<const Finder> make_halo_finder();

// Who is a member of which halo.
Labels halo_labels(const HaloSearch& search);

}  // namespace haloscope::analysis
