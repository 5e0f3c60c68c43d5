#pragma once

#include "app/render_request.h"
#include "app/run_context.h"
#include "app/statistics.h"

#include <functional>

namespace CLI {
class App;
}

namespace haloscope::app {

// Draws a snapshot to a file, as `haloscope render` does; prints what was assumed and what it cost
// unless request.quiet. Throws Error in the user's words, Cancelled when asked to stop; then
// nothing is written.
Statistics run_render(const RenderRequest& request, RunContext& context);

// Adds `render` to the command line; `run` is set when the user chose it.
void add_render_command(CLI::App& app, RunContext& context, std::function<void()>& run);

// Which particles, what the file does not say, how they look, and their smoothing lengths: the
// options of any command that draws.
void add_picture_options(CLI::App& command, RenderRequest& request);

// --mode of a picture.
void add_mode_option(CLI::App& command, compute::splotch::Mode& mode);

// --device, --strategy, --large, --deterministic, --gpu-memory.
void add_compute_options(CLI::App& command, ComputeRequest& request);

}  // namespace haloscope::app
