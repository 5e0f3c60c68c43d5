#pragma once

#include "analysis/catalogs/catalog_comparison.h"
#include "analysis/finding.h"
#include "analysis/measuring/measurement.h"
#include "core/progress.h"

#include <memory>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Two findings of one snapshot beside each other, as `haloscope catalog --compare` compares their
// catalogs.
struct ComparedFindings {
  std::shared_ptr<const Finding> first, second;
  // By piece: whether it has no partner in the other finding.
  std::vector<bool> first_alone, second_alone;
  CatalogComparison comparison;
};

// Plots: "compared_counts", how many pieces of both are at least so massive; "mass_ratios", of each
// pair; "both_mass_functions", where both have one. The table has a row for each pair. `compared`
// holds the rest. Throws Error where one of them has no catalog with positions and masses, and
// Cancelled.
Measurement compare_findings(std::shared_ptr<const Finding> first,
                             std::shared_ptr<const Finding> second, const std::string& made_by,
                             Progress& progress);

}  // namespace haloscope::analysis
