#pragma once

#include "analysis/run_context.h"
#include "analysis/snapshot/snapshot_options.h"
#include "analysis/topology/peaks_options.h"
#include "app/cli/plot_outputs.h"
#include "compute/exec/device.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

struct TopologyCommand {
  std::string input;                 // a snapshot, or a grid
  std::vector<std::string> outputs;  // by their endings
  std::vector<std::string> pairs;    // the same
  std::string stats;
  PlotOutputs plots;
  analysis::SnapshotOptions said;  // of a snapshot
  std::string periodic;            // yes, no, axes; of a snapshot's box, or of the grid
  std::string dataset, raw_grid;   // of a grid
  analysis::PeaksOptions options;
  std::string device = "auto";
  std::string gpus;  // "all", or numbers with commas between; empty: one device
  bool overwrite = false, quiet = false;
};

// Finds the peaks of a snapshot or of a grid, and writes them; prints what was assumed and found
// unless quiet. Throws Error in the user's words; then nothing is written.
void run_topology(const TopologyCommand& request, analysis::RunContext& context);

// The same on several devices of this process, whatever the request says of them: one rank on a
// thread of its own for each, numbered as they stand there. None: what run_topology() does.
void run_topology_on(const std::vector<compute::Device>& devices, const TopologyCommand& request,
                     analysis::RunContext& context);

// Adds `topology` to the command line; `run` is set when the user chose it.
void add_topology_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
