#pragma once

#include "analysis/finder.h"

#include <memory>

namespace haloscope::analysis {

// find_in() by a finder that need not be in the list of all.
std::shared_ptr<const Finding> find_by(const Finder& who, const io::SnapshotReader& reader,
                                       const AnyOptions& options, const FindRequest& request,
                                       Progress& progress);

}  // namespace haloscope::analysis
