#pragma once

#include "analysis/plot.h"
#include "analysis/topology/found_peaks.h"
#include "analysis/topology/peaks_output.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/grid.h"
#include "core/progress.h"
#include "io/grids/grid_file.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// Peaks of a bare grid.
struct GridPeaks {
  FoundPeaks found;
  HaloCatalog catalog;  // its first table's row n is structure n
  CatalogProvenance provenance;
  std::vector<std::string> about;  // lines: what was taken as a grid
  std::string summary;
  std::vector<std::string> said;  // sentences: what was done to the values
  std::vector<Plot> plots;
};

// Throws OptionError for options that a bare grid knows nothing of.
void check_grid_options(const PeaksOptions& options);

// Throws OptionError for what several ranks cannot do yet. `gpus`: they are those of one process.
void require_for_ranks(const PeaksOptions& options, bool gpus);

// The planes of a grid that a rank reads; null where it is alone. `ranks` outlives it.
io::ChoosePlanes planes_to_read(const compute::Ranks& ranks);

// Throws OptionError for options that do not fit the grid, Error for values that no tree can be
// made of, and Cancelled. Over several ranks, all of which call it, `grid` has the values of
// planes_to_read(), and the first gets the peaks; labels of all cells and their values come to it
// where these are wanted.
GridPeaks find_grid_peaks(Grid grid, const std::string& path, const PeaksOptions& options,
                          compute::Device device, Progress& progress,
                          compute::Ranks& ranks = compute::alone(), const WantedCells& wanted = {});

}  // namespace haloscope::analysis
