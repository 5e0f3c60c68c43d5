#pragma once

#include "analysis/measuring/measured_file.h"
#include "analysis/measuring/phase_search.h"
#include "analysis/plot.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// What was summed in which bins: a sentence each.
std::vector<std::string> phase_in_words(const FoundPhase& found);

// A row for each bin with its edges, sum, standard deviation and count; of two fields those that
// hold particles. `origin`: lines for the head.
std::string phase_csv(const FoundPhase& found, const std::vector<std::string>& origin);

// XEdges, YEdges, Sum, SumOfSquares, Count.
MeasuredDatasets phase_datasets(const FoundPhase& found);

// Colors of the bins that hold particles, or steps with their standard deviations.
Plot phase_plot(const FoundPhase& found, const std::vector<std::string>& origin);

}  // namespace haloscope::analysis
