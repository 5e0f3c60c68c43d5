#pragma once

#include "analysis/finder.h"

#include <memory>

namespace haloscope::analysis {

// Peaks of the density of a snapshot, or of a field of it, by the merge tree of a grid.
std::shared_ptr<const Finder> make_peaks_finder();

}  // namespace haloscope::analysis
