#pragma once

#include "core/known_positions.h"
#include "core/progress.h"
#include "io/loading/select_rows.h"

#include <map>
#include <vector>

namespace haloscope::io {

// What a region holds, and the positions of those types whose positions are known.
struct KnownRows {
  SelectedRows selected;
  std::map<int, RowsInBox> in_box;  // by type; none of those that were read
};

// The rows of a region of a periodic box, with some steps of the lattice around it: of types whose
// positions are known those among them, of the others as select_rows() reads them. Throws
// EmptyRegion where there are none.
KnownRows select_known_rows(const SnapshotReader& reader, const std::vector<int>& types,
                            const Region& region, const KnownPositions& known, Progress& progress);

}  // namespace haloscope::io
