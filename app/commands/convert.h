#pragma once

#include "app/filter_options.h"
#include "app/run_context.h"
#include "app/snapshot_options.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app {

// `haloscope convert` as plain data.
struct ConvertCommand {
  std::string snapshot, output;
  std::vector<std::string> types;
  io::Selection selection;
  FilterOptions filter;  // beside the region
  SnapshotOptions said;
  bool compress = false, overwrite = false, quiet = false;
};

// Writes what is selected of a snapshot as a GADGET-4-style one, and prints what was assumed and
// what became of the particles. Throws Error in the user's words; then nothing is written.
void run_convert(const ConvertCommand& request, RunContext& context);

// Adds `convert` to the command line; `run` is set when the user chose it.
void add_convert_command(CLI::App& app, RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app
