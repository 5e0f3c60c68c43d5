#pragma once

#include "analysis/finder.h"

#include <memory>

namespace haloscope::analysis {

// The halos of a catalog of anyone's, over the snapshot that they were found in.
std::shared_ptr<const Finder> make_loaded_halos_finder();

}  // namespace haloscope::analysis
