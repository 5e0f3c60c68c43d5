#pragma once

#include "analysis/finder.h"

#include <memory>

namespace haloscope::analysis {

// The whole snapshot as one structure, so that an isolated galaxy has a row. The options are
// WholeOptions.
std::shared_ptr<const Finder> make_whole_finder();

}  // namespace haloscope::analysis
