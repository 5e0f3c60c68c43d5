#pragma once

#include "core/progress.h"
#include "core/snapshot_info.h"
#include "io/tables/point_table.h"

#include <cstdint>
#include <string>

// NumPy's format for one array, version 1.0 to 3.0 (numpy.lib.format).
namespace haloscope::io {

// Whether a file begins as such arrays do; never throws.
bool is_npy(const std::string& path);

// Rows of an array of two dimensions, of float32 or float64 in the byte order of this machine, in
// C's or Fortran's order. Throws Error in one sentence for all else.
PointTable read_npy_points(const std::string& path, Progress& progress);

// Writes an array of so many rows, of one dimension where there is one component. Appears whole or
// not at all. Throws Error when it cannot be written, and Cancelled.
void write_npy(const std::string& path, ScalarType scalar, std::uint64_t rows, int components,
               const void* data, Progress& progress);

}  // namespace haloscope::io
