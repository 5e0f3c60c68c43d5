#pragma once

#include "analysis/clusters/clusters_options.h"
#include "analysis/run_context.h"
#include "analysis/snapshot/snapshot_options.h"
#include "app/cli/plot_outputs.h"
#include "io/loading/particle_filter.h"
#include "io/loading/selection.h"

#include <functional>
#include <string>

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
  bool overwrite = false, quiet = false;
};

// Finds the clusters of a snapshot or of the rows of a table, and writes them; prints what was
// assumed and found unless quiet. Throws Error in the user's words; then nothing is written.
void run_clusters(const ClustersCommand& request, analysis::RunContext& context);

// Adds `clusters` to the command line; `run` is set when the user chose it.
void add_clusters_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
