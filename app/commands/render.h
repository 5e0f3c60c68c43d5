#pragma once

#include "app/render_request.h"
#include "app/run_context.h"
#include "app/statistics.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace haloscope::app {

// Draws a snapshot to a file, as `haloscope render` does; prints what was assumed and what it cost
// unless request.quiet. Throws Error in the user's words, Cancelled when asked to stop; then
// nothing is written.
Statistics run_render(const RenderRequest& request, RunContext& context);

// Adds `render` to the command line; `run` is set when the user chose it.
void add_render_command(CLI::App& app, RunContext& context, std::function<void()>& run);

// --device, --strategy, --large, --deterministic, --gpu-memory.
void add_compute_options(CLI::App& command, ComputeRequest& request);

}  // namespace haloscope::app
