#pragma once

#include "app/filter_options.h"

namespace CLI {
class App;
}

namespace haloscope::app {

// --sphere, --where, --ids-of. Values are checked at once.
void add_filter_options(CLI::App& command, FilterOptions& options);

}  // namespace haloscope::app
