#pragma once

#include "analysis/measuring/phase_options.h"
#include "analysis/run_context.h"
#include "analysis/snapshot/snapshot_options.h"
#include "app/cli/measure_outputs.h"

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// What `haloscope phase` does.
struct PhaseCommand {
  std::string snapshot;
  MeasureOutputs outputs;
  analysis::PhaseOptions options;
  analysis::SnapshotOptions said;
  bool quiet = false;
};

// Throws Error in the user's words.
void run_phase(const PhaseCommand& request, analysis::RunContext& context);

void add_phase_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
