#pragma once

#include "analysis/selection/filter_options.h"

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// --sphere, --where, --ids-of. Values are checked at once.
void add_filter_options(CLI::App& command, analysis::FilterOptions& options);

}  // namespace haloscope::app::cli
