#pragma once

#include "analysis/run_context.h"
#include "app/cli/info_report.h"

#include <functional>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// Adds `info` to the command line; `run` is set when the user chose it.
void add_info_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
