#pragma once

#include "analysis/topology/persistence_diagram.h"
#include "analysis/topology/structures.h"
#include "core/halo_catalog.h"
#include "core/labels.h"
#include "core/timings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::analysis {

class LivePeaks;

// Peaks of a snapshot or of a bare grid, with the tree that others are taken from.
struct FoundPeaks {
  std::shared_ptr<const GridTree> tree;
  Structures structures;
  // Of a snapshot: the cell of each row of its files, Labels::kNone outside the grid; null: of
  // none. Over ranks it has no rows.
  std::shared_ptr<const Labels> cells;
  // The same where the tree is; null: they are not there.
  std::shared_ptr<LivePeaks> live;
  // Where the tree's pairs lie in their plot; null: nothing was plotted.
  std::shared_ptr<const PersistenceDiagram> diagram;
  double period = 0;       // of the particles' box, code lengths; 0: it is not periodic
  double mass_of_one = 0;  // of a cell of the value 1, code masses; 0: values are no densities
  // The most bytes that one GPU held for it; 0 on processors.
  std::uint64_t peak_device_memory = 0;
  Timings timings;  // of all that was done for it

  std::uint64_t bytes() const;  // of host memory
};

// Others that are taken from the same tree: all but the structures.
FoundPeaks in_same_tree(const FoundPeaks& known);

// What a particle has that its cell has.
Labels labels_of_particles(const FoundPeaks& found);

// How many particles each piece has.
std::vector<std::uint64_t> members_of(const Labels& labels);

// "120 peaks of 5300 maxima in 64 x 64 x 64 cells of 281 x 281 x 281 kpc/h, with persistence of 20
// or more".
std::string peaks_in_words(const FoundPeaks& found, const PeaksOptions& options);

// What every file tells of its origin. `assumed`: sentences, with options as flags of the command
// line.
CatalogProvenance peaks_provenance(const FoundPeaks& found, const PeaksOptions& options,
                                   const std::vector<std::string>& files,
                                   const std::vector<std::string>& assumed);

}  // namespace haloscope::analysis
