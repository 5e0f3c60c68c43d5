#pragma once

#include "analysis/run_context.h"

#include <functional>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// Adds `haloscope NAME SNAPSHOT …` for every finder that has no command of its own yet; `run` is
// set when the user chose one.
void add_find_commands(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
