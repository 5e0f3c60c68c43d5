#pragma once

#include "analysis/run_context.h"
#include "analysis/snapshot/statistics.h"
#include "compute/exec/device.h"
#include "render/scene/render_request.h"

#include <functional>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// Draws a snapshot to a file, as `haloscope render` does; prints what was assumed and what it cost
// unless request.quiet. Throws Error in the user's words, Cancelled when asked to stop; then
// nothing is written.
analysis::Statistics run_render(const render::RenderRequest& request,
                                analysis::RunContext& context);

// The same on several devices of this process, whatever the request says of them: one rank on a
// thread of its own for each, numbered as they stand there. None: what run_render() does without
// --gpus.
analysis::Statistics run_render_on(const std::vector<compute::Device>& devices,
                                   const render::RenderRequest& request,
                                   analysis::RunContext& context);

// Adds `render` to the command line; `run` is set when the user chose it.
void add_render_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

// Which particles, what the file does not say, how they look, and their smoothing lengths: the
// options of any command that draws.
void add_picture_options(CLI::App& command, render::RenderRequest& request);

// --no-cache: lengths that were searched are not kept.
void add_no_cache_option(CLI::App& command, render::RenderRequest& request);

// --mode of a picture.
void add_mode_option(CLI::App& command, compute::splotch::Mode& mode);

// --device, --strategy, --large, --deterministic, --exact, --gpu-memory.
// `said`: as add_device_option().
void add_compute_options(CLI::App& command, render::ComputeRequest& request,
                         analysis::SnapshotOptions* said = nullptr);

}  // namespace haloscope::app::cli
