#pragma once

#include "analysis/finding.h"
#include "analysis/halos/halo_table.h"
#include "analysis/topology/found_peaks.h"
#include "analysis/topology/peaks_options.h"

#include <cstdint>
#include <vector>

// What a finding tells of peaks.
namespace haloscope::analysis {

// What the tree tells of each structure, and where it is; masses by the table of those that were
// measured, null: they are not known.
void list_peaks(const FoundPeaks& found, const std::vector<std::uint64_t>& members,
                const HaloTable* table, Finding& finding);

// All else but labels and plots.
void describe_peaks(const FoundPeaks& found, const PeaksOptions& options, Finding& finding);

// Labels of the particles where the tree is, if they are there and room is left for them.
void label_there(const FoundPeaks& found, const PeaksOptions& options, Finding& finding);

// Peaks of another threshold, taken from those that were found before in the same tree. Where the
// particles are with the tree, so are their labels. Throws OptionError.
Finding peaks_again(const Finding& former, const PeaksOptions& options);

}  // namespace haloscope::analysis
