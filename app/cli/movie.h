#pragma once

#include "analysis/run_context.h"
#include "compute/exec/device.h"
#include "render/film/film.h"

#include <functional>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// Draws a film as `haloscope movie` does, on several devices of this process: one rank on a thread
// of its own for each, which draws its share of the frames. None: as the request and the context
// say.
void run_movie_on(const std::vector<compute::Device>& devices, const render::FilmRequest& request,
                  analysis::RunContext& context);

// Adds `movie` to the command line; `run` is set when the user chose it.
void add_movie_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
