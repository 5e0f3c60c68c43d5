#pragma once

#include "analysis/measuring/phase_options.h"
#include "analysis/measuring/profile_options.h"
#include "analysis/plot.h"
#include "analysis/snapshot/snapshot_options.h"
#include "core/halo_catalog.h"
#include "core/progress.h"

#include <memory>
#include <string>
#include <vector>

namespace haloscope::analysis {

struct ComparedFindings;
struct ResidentPoints;

// What was measured in a snapshot, for a window: immutable.
struct Measurement {
  std::vector<Plot> plots;         // "profile_density", …; "phase"; "histogram"
  std::string table;               // the CSV that `haloscope profile` and `haloscope phase` write
  std::string table_of = {};       // the plot that it belongs to; empty: all of them
  std::vector<std::string> words;  // what was measured and its limits, a sentence each
  std::vector<std::string> said;   // what was taken for granted
  // Null: it is no comparison (analysis/catalogs/compared_findings.h).
  std::shared_ptr<const ComparedFindings> compared = {};
};

// These open a snapshot and measure as the command line does. `made_by`: the line that asks for it,
// for the heads of files. Throw Error, with options as the window writes them, and Cancelled.

// `catalog`: of `structure`; null: the file that the options name is read. `about`, `resident`: see
// find_profile().
Measurement measure_profile_in(const std::string& snapshot, const SnapshotOptions& said,
                               const ProfileOptions& options, const HaloCatalog* catalog,
                               const std::string& made_by, Progress& progress,
                               const std::string& about = {},
                               const std::shared_ptr<const ResidentPoints>& resident = {});

Measurement measure_phase_in(const std::string& snapshot, const SnapshotOptions& said,
                             const PhaseOptions& options, const std::string& made_by,
                             Progress& progress);

}  // namespace haloscope::analysis
