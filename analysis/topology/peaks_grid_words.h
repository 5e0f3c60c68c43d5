#pragma once

#include "analysis/topology/peaks_options.h"
#include "compute/exec/ranks.h"
#include "core/grid.h"
#include "core/snapshot_info.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

struct FoundPeaks;

// What the grid of a snapshot holds: "overdensity of gas and dm, smoothed by 1cells: from 0 to 310,
// and 1 is 0.0123 1e10 Msun/h a cell".
std::string values_in_words(const FoundPeaks& found, const PeaksOptions& options,
                            const SnapshotInfo& info);

// Of a bare grid: "points.npy: an image of 2000 x 3 cells (float64) whose ends do not meet". A
// sentence more tells where it looks like places of points.
std::vector<std::string> bare_grid_in_words(const Grid& grid, const std::array<bool, 3>& periodic,
                                            const std::string& path);

// Where all that a grid of densities holds lies in a small part of it: a sentence with the region
// that the same cells should be laid over. `periodic`: axes whose ends meet. Over ranks each has
// the values of its planes (compute/distributed/grid_slabs.h), all call it, and all get the
// sentence.
std::optional<std::string> region_hint(const Grid& grid, const std::array<bool, 3>& periodic,
                                       const PeaksOptions& options,
                                       compute::Ranks& ranks = compute::alone());

}  // namespace haloscope::analysis
