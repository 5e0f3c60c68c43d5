#pragma once

#include "analysis/topology/peaks_datasets.h"
#include "core/halo_catalog.h"
#include "core/progress.h"

#include <string>

// Persistence pairs in files of their own.
namespace haloscope::analysis {

// Birth and death of each pair, in the grid's type: N x 2, as GUDHI and persim plot them.
void write_pair_array(const std::string& path, const PairColumns& pairs, Progress& progress);

// A line per pair: birth, death, birth_index, death_index, and the places of both cells.
void write_pair_table(const std::string& path, const GridTree& tree, const PairColumns& pairs,
                      const CatalogProvenance& provenance, Progress& progress);

// A persistence diagram with TTK's names, as it draws them: from the lower value to the higher one,
// at (lower, lower) and (lower, higher); and the diagonal.
void write_diagram(const std::string& path, const GridTree& tree, const PairColumns& pairs,
                   const CatalogProvenance& provenance, Progress& progress);

}  // namespace haloscope::analysis
