#pragma once

#include "analysis/run_context.h"

#include <string>

namespace haloscope::app::cli {

// Tells what a bare grid holds: an array of NumPy, an image of VTK, raw values with a description
// beside them, or a grid in HDF5. `dataset`: which of several; empty: the only one. False, and
// nothing is printed: it is none, or more than one, and none was named. Throws Error where there is
// none of that name.
bool show_grid(const std::string& path, const std::string& dataset, bool as_json,
               analysis::RunContext& context);

}  // namespace haloscope::app::cli
