#pragma once

#include "analysis/halos/halo_search.h"
#include "analysis/run_context.h"
#include "analysis/snapshot/snapshot_options.h"
#include "compute/exec/device.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

struct HalosCommand {
  std::string snapshot, output, stats;
  analysis::SnapshotOptions said;
  analysis::HaloSearchRequest search;  // its device is that of the next word, when it runs
  std::string device = "auto";
  std::string gpus;  // "all", or numbers with commas between; empty: one device
  int files = 1;     // that the catalog is written as
  bool overwrite = false, quiet = false;
};

// Finds the halos of a snapshot and writes their catalog, as `haloscope halos` does; prints what
// was assumed and found unless quiet. Throws Error in the user's words; then nothing is written.
void run_halos(const HalosCommand& request, analysis::RunContext& context);

// The same on several devices of this process, whatever the request says of them: one rank on a
// thread of its own for each, numbered as they stand there. None: what run_halos() does.
void run_halos_on(const std::vector<compute::Device>& devices, const HalosCommand& request,
                  analysis::RunContext& context);

// Adds `halos` to the command line; `run` is set when the user chose it.
void add_halos_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run);

}  // namespace haloscope::app::cli
