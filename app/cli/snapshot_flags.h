#pragma once

#include "analysis/snapshot/snapshot_options.h"
#include "io/loading/selection.h"

#include <string>

namespace CLI {
class App;
}

namespace haloscope::app::cli {

// The group in the help of the options that choose particles.
inline constexpr const char* kWhichParticles = "Which particles";

// --unit-length, --hubble, …, --allow-missing, --raw. Values are checked at once.
// `without`: a word that the command itself takes; empty: none.
void add_snapshot_options(CLI::App& command, analysis::SnapshotOptions& options,
                          const std::string& without = {});

// --region.
void add_region_option(CLI::App& command, io::Selection& selection);
// --region, --every, --max-particles.
void add_selection_options(CLI::App& command, io::Selection& selection);

}  // namespace haloscope::app::cli
