#pragma once

#include "core/assumption.h"
#include "core/snapshot_info.h"
#include "io/bytes/strided_column.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::io {

// An auxiliary array of a Tipsy snapshot: a file <snapshot>.<name> with one value, or three, for
// each particle behind the number of particles, as text or binary. Particles are in the snapshot's
// order: gas, dark matter, stars.
struct TipsyArray {
  std::string name, path;
  int components = 1;
  ScalarType scalar = ScalarType::Float32;
  bool text = false;
  bool swap = false;
  // Vectors: x y z of one particle after the other; otherwise all x, then all y, then all z.
  bool packed = true;
};

// Finds the arrays beside a snapshot of `particles`. A file that begins with this number and then
// does not go on as an array is left out and said in `assumed`; others belong to somebody else.
// Text is read to its end, so that its reading later cannot fail.
std::vector<TipsyArray> find_tipsy_arrays(const std::string& snapshot, std::uint64_t particles,
                                          bool packed_vectors, Assumptions& assumed);

// The rows first … first+rows-1 of a binary array as a column of their own.
StridedColumn binary_array_column(const TipsyArray& array, std::uint64_t particles,
                                  std::uint64_t first, std::uint64_t rows);

// The same rows of a text array, by one thread. Throws BadFile when the file has changed.
void read_text_array(const TipsyArray& array, std::uint64_t first, std::uint64_t rows,
                     const std::string& phase, const ChunkVisitor& visit, Progress& progress);

}  // namespace haloscope::io
