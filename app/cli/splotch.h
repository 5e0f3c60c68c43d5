#pragma once

#include "analysis/run_context.h"
#include "render/scene/render_request.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// `haloscope splotch` as plain data.
struct SplotchRequest {
  std::string parameter_file;
  // Where relative outfile names lie; empty: the working folder, as for Splotch.
  std::string output_folder;
  render::ComputeRequest compute;
  bool overwrite = false, quiet = false;
};

// Draws all frames of a Splotch parameter file in classic mode and writes the files that Splotch
// would have written; returns their names. Throws Error in the user's words.
std::vector<std::string> run_splotch(const SplotchRequest& request, analysis::RunContext& context);

// Adds `splotch` to the command line; `run` is set when the user chose it.
void add_splotch_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
