#pragma once

#include "analysis/run_context.h"

#include <functional>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// Adds `grid` to the command line; `run` is set when the user chose it.
void add_grid_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
