#pragma once

#include "io/hdf5/hdf5_dataset.h"
#include "io/snapshot_reader.h"

#include <string>

namespace haloscope::io {

// GADGET-4 can write its internal positions: unsigned integers, of which the type's whole range is
// the box. They are handed on as float64 in code units.
inline const std::string kIntegerCoordinates = "IntCoordinates";

// Throws BadFile where they are none that this program can scale: 128-bit integers, other kinds of
// numbers, or no box.
void check_integer_coordinates(const DatasetLayout& layout, double box_size,
                               const std::string& described, const std::string& file);

// A visitor of the integers that hands float64 positions to `visit`: x = BoxSize i / 2^bits, exact
// to 2^-52 of the box.
ChunkVisitor scaled_to_box(const ChunkVisitor& visit, double box_size);

}  // namespace haloscope::io
