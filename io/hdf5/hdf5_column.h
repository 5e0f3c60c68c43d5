#pragma once

#include "io/bytes/row_progress.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// Where a run of rows of a column lies: one dataset of one file.
struct Hdf5ColumnPart {
  std::string file;
  std::string dataset;          // "PartType0/Coordinates"
  std::string type;             // the user's word for it: "gas"
  std::uint64_t first_row = 0;  // of this part within the whole column
  std::uint64_t rows = 0;       // expected
  int components = 1;           // expected
  // Rows of the whole column that are wanted, ascending and disjoint; null: all.
  const std::vector<RowRange>* wanted = nullptr;
};

// Reads the part and hands it to `visit` in pieces of a quarter of a MB, or a chunk, from several
// threads at once; the visitor must not start parallel work of its own (its piece would be
// overwritten). Of a part of the rows, only the chunks or stretches that hold them are read; they
// come with their neighbors.
//
// Contiguous data in native byte order are read straight from the file; deflate and shuffle are
// undone in parallel; everything else goes through HDF5, one piece at a time.
// Throws BadFile naming file, dataset and type when it is missing, of another shape or kind than
// expected, truncated or damaged.
void read_hdf5_column(const Hdf5ColumnPart& part, const ChunkVisitor& visit, RowProgress& progress);

}  // namespace haloscope::io
