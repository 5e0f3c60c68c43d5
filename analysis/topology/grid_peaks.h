#pragma once

#include "analysis/plot.h"
#include "analysis/topology/found_peaks.h"
#include "compute/exec/device.h"
#include "core/grid.h"
#include "core/progress.h"

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

// Throws OptionError for options that do not fit the grid, Error for values that no tree can be
// made of, and Cancelled.
GridPeaks find_grid_peaks(Grid grid, const std::string& path, const PeaksOptions& options,
                          compute::Device device, Progress& progress);

}  // namespace haloscope::analysis
