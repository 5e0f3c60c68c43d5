#pragma once

#include "io/hdf5/hdf5_column.h"

#include <vector>

namespace haloscope::io {

// Reads a part of which only some rows count, `present` (ascending and disjoint, by their numbers
// in the dataset), as if the dataset had no others: part.first_row and part.wanted count these
// alone, part.rows are all rows of the dataset.
void read_present_rows(const Hdf5ColumnPart& part, const std::vector<RowRange>& present,
                       const ChunkVisitor& visit, RowProgress& progress);

}  // namespace haloscope::io
