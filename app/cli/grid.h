#pragma once

#include "analysis/grids/grid_command.h"
#include "analysis/run_context.h"
#include "compute/exec/device.h"

#include <functional>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// Makes a grid on several devices of this process, whatever the request says of them: one rank on a
// thread of its own for each, numbered as they stand there. None: as analysis::run_grid().
void run_grid_on(const std::vector<compute::Device>& devices, const analysis::GridCommand& request,
                 analysis::RunContext& context);

// Adds `grid` to the command line; `run` is set when the user chose it.
void add_grid_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
