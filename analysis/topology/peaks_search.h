#pragma once

#include "analysis/halos/halo_search.h"
#include "analysis/snapshot/resident_points.h"
#include "analysis/topology/found_peaks.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/labels.h"
#include "core/progress.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

struct PeaksSearchRequest {
  PeaksOptions options;
  compute::Device device;
  bool measured = true;  // peaks are to be measured: masses and velocities are read
  // Where the snapshot's positions are, if they were loaded before.
  std::shared_ptr<const ResidentPoints> resident;
  // Of a search of the same particles with options of the same tree; null: it is made.
  std::shared_ptr<const FoundPeaks> known = nullptr;
  // That search together, each with its part of the particles and of the grid, on processors, with
  // nothing known, and measure; null: this process alone.
  compute::Ranks* ranks = nullptr;
  // Over ranks, what the first one gets: IDs and labels of all members, labels of all cells, and
  // their values.
  bool lists_members = true, labels_of_cells = true, values_of_cells = true;
};

// Peaks of the density of a snapshot. Those that have members are the halos of `particles`, by
// which they are measured: halo h is structure measured[h].
struct PeaksSearch {
  HaloSearch particles;
  FoundPeaks peaks;
  std::vector<std::uint32_t> measured;   // ascending
  std::vector<std::uint64_t> members;    // of each structure
  std::shared_ptr<const Labels> labels;  // of the rows of the snapshot's files
  std::optional<std::string> hint;       // that a region should be taken; not of a known tree
};

// Makes the grid, its tree and the structures, and reads what their catalog needs. Throws Error in
// the user's words, OptionError where these name options, and Cancelled. With several ranks all
// call it, and rank 0 has what was found.
PeaksSearch search_peaks(const io::SnapshotReader& reader, const PeaksSearchRequest& request,
                         Progress& progress);

// The types that are put on the grid, and counted as members.
std::vector<int> types_of_peaks(const SnapshotInfo& info, const PeaksOptions& options);

// Throws Error where options and snapshot do not fit, as far as the snapshot's header tells.
void check_snapshot(const SnapshotInfo& info, const PeaksOptions& options);

}  // namespace haloscope::analysis
