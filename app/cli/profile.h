#pragma once

#include "analysis/measuring/profile_options.h"
#include "analysis/run_context.h"
#include "analysis/snapshot/snapshot_options.h"
#include "app/cli/measure_outputs.h"
#include "app/cli/plot_outputs.h"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// What `haloscope profile` does.
struct ProfileCommand {
  std::string snapshot;
  MeasureOutputs outputs;
  PlotOutputs plots;
  analysis::ProfileOptions options;
  analysis::SnapshotOptions said;
  bool quiet = false;
};

// Throws Error in the user's words.
void run_profile(const ProfileCommand& request, analysis::RunContext& context);

void add_profile_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
