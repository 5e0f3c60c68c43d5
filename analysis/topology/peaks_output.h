#pragma once

#include "analysis/snapshot/output_guard.h"
#include "analysis/topology/found_peaks.h"
#include "core/halo_catalog.h"
#include "core/labels.h"
#include "core/progress.h"

#include <string>
#include <vector>

// Files of peaks.
namespace haloscope::analysis {

// Throws Error unless peaks can be written to `path`: .hdf5 holds all, .csv the structures, .npy
// the labels of the cells, .vti the grid with its segmentation.
void require_peaks_output(const std::string& path, const Overwriting& overwriting);

// What is written of a search.
struct PeaksContent {
  const FoundPeaks& found;
  const PeaksOptions& options;
  const HaloCatalog& catalog;
  const HaloMembers& members;
  CatalogProvenance provenance;    // with the command line
  const Labels* labels = nullptr;  // of particles; null: there are none
};
// What such files need of all cells: labels, and values; and whether they list members.
struct WantedCells {
  bool labels = false, values = false, members = false;
};
WantedCells wanted_cells(const std::vector<std::string>& paths);

void write_peaks(const std::string& path, const PeaksContent& content, Progress& progress);

// Throws Error unless pairs can be written to `path`: .csv, .npy (birth and death), .vtu (a diagram
// with TTK's names).
void require_pairs_output(const std::string& path, const Overwriting& overwriting);
void write_pairs(const std::string& path, const PeaksContent& content, Progress& progress);

}  // namespace haloscope::analysis
