#pragma once

#include "app/run_context.h"

#include <functional>

namespace CLI {
class App;
}

namespace haloscope::app {

// Adds `convert` to the command line; `run` is set when the user chose it.
void add_convert_command(CLI::App& app, RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app
