#pragma once

#include "analysis/clusters/clusters_options.h"
#include "analysis/run_context.h"
#include "analysis/snapshot/snapshot_options.h"
#include "app/cli/plot_outputs.h"
#include "compute/exec/device.h"
#include "io/loading/particle_filter.h"
#include "io/loading/selection.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

struct ClustersCommand {
  std::string input;  // a snapshot, or a table of points
  std::string output, tree, stats;
  PlotOutputs plots;
  analysis::SnapshotOptions said;
  io::Selection selection;    // of a snapshot, as is the filter
  io::ParticleFilter filter;  // fields as they were said
  analysis::ClustersOptions options;
  std::string device = "auto";
  std::string gpus;  // "all", or numbers with commas between; empty: one device
  bool overwrite = false, quiet = false;
};

// Finds the clusters of a snapshot or of the rows of a table, and writes them; prints what was
// assumed and found unless quiet. Throws Error in the user's words; then nothing is written.
void run_clusters(const ClustersCommand& request, analysis::RunContext& context);

// The same on several devices of this process, whatever the request says of them: one rank on a
// thread of its own for each, numbered as they stand there. None: what run_clusters() does.
void run_clusters_on(const std::vector<compute::Device>& devices, const ClustersCommand& request,
                     analysis::RunContext& context);

// Adds `clusters` to the command line; `run` is set when the user chose it.
void add_clusters_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
