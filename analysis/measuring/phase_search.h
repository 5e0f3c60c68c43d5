#pragma once

#include "analysis/measuring/phase_histogram.h"
#include "analysis/measuring/phase_options.h"
#include "core/progress.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// A histogram with the words for it.
struct FoundPhase {
  PhaseHistogram histogram;
  std::string x, y, weight;  // fields, "mass", "particles"; empty y: one field
  std::string x_unit, y_unit, weight_unit;
  std::vector<std::string> types;  // names
  std::vector<std::string> said;   // sentences
};

// What the options come to for this snapshot, and what must be loaded.
struct PhasePlan {
  PhaseRequest request;
  io::LoadRequest load;
  FoundPhase words;  // all but the histogram
};

// Throws Error and OptionError in the user's words: for fields that no type has, or that have
// several values per particle, and for masses that are not known.
PhasePlan plan_phase(const SnapshotInfo& info, const PhaseOptions& options);

// Plans, reads and sums.
FoundPhase find_phase(const io::SnapshotReader& reader, const PhaseOptions& options,
                      Progress& progress);

}  // namespace haloscope::analysis
