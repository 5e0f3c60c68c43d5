#pragma once

#include "io/snapshot_reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// A column that lies in one or more files at a fixed distance from row to row: a block of an array
// file, or a member of a table's records.
struct StridedColumn {
  struct Part {
    std::string file;
    std::uint64_t offset = 0;     // bytes from the file's start to the first value
    std::uint64_t first_row = 0;  // within the whole column
    std::uint64_t rows = 0;
  };
  std::vector<Part> parts;
  std::uint64_t stride = 0;  // bytes from row to row
  int components = 1;
  // Bytes from one component to the next; 0: the size of a value. With another distance than that
  // (x of all rows, then y, then z) `stride` is the size of one value.
  std::uint64_t component_stride = 0;
  ScalarType scalar = ScalarType::Float32;
  bool swap = false;  // values lie in the other byte order
  std::string what;   // for messages: "block POS", "the gas records"
};

std::size_t bytes_of(ScalarType scalar);

// Hands the column to `visit` in pieces of about a quarter of a megabyte of file, in parallel over
// pieces and files. Of `rows` (ascending, disjoint; null: all) neighbors are joined over gaps that
// are cheaper to read than to skip. Throws BadFile naming `what` when a file ends too early.
void read_strided(const StridedColumn& column, const std::vector<RowRange>* rows,
                  const std::string& phase, const ChunkVisitor& visit, Progress& progress);

}  // namespace haloscope::io
