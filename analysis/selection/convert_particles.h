#pragma once

#include "analysis/run_context.h"
#include "analysis/selection/filter_options.h"
#include "analysis/snapshot/snapshot_options.h"
#include "io/loading/selection.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// What `haloscope convert` and exports of the window write, as plain data.
struct ConvertCommand {
  std::string snapshot, output;
  std::vector<std::string> types;
  io::Selection selection;
  FilterOptions filter;            // beside the region
  std::vector<std::string> added;  // fields that are not stored
  SnapshotOptions said;
  bool compress = false, overwrite = false, quiet = false;
};

// Writes what is selected of a snapshot as a GADGET-4-style one, and prints what was assumed and
// what became of the particles. Throws Error in the user's words; then nothing is written.
void run_convert(const ConvertCommand& request, RunContext& context);

}  // namespace haloscope::analysis
