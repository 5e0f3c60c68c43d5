#pragma once

#include "analysis/selection/filter_options.h"

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// Values are checked at once. --sphere, --where.
void add_filter_options(CLI::App& command, io::ParticleFilter& filter);
// These and --ids-of.
void add_filter_options(CLI::App& command, analysis::FilterOptions& options);

}  // namespace haloscope::app::cli
